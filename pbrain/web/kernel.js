// The kernel as WebAssembly: one instance, and the records in its memory.

const PAGE = 65536;
export const LINE = 64; // bytes of a cache line
const PROBE_PAGES = 16; // more than the module's own data
const STACK = 256 * 1024; // of a thread of its own
const SIZES = { u1: 1, u2: 2, u4: 4, u8: 8, i2: 2, i4: 4, i8: 8 };
const TYPES = { u1: "Uint8", u2: "Uint16", u4: "Uint32", u8: "BigUint64", i2: "Int16", i4: "Int32", i8: "BigInt64" };

// Milliseconds on a clock that all workers of a page share.
export function now() {
  return performance.timeOrigin + performance.now();
}

export function nanoseconds(ms) {
  return BigInt(Math.round(ms * 1e6));
}

function aligned(at) {
  return Math.ceil(at / LINE) * LINE;
}

// Where everything lies in a memory, from the end of the module's own data on: the tables of the rule, a state, a
// worker and a stack for each thread, what threads tell each other, and the transposition table.
export function placesIn(description, heapBase, threads, tableBytes) {
  let end = heapBase;
  const place = (size) => {
    const at = aligned(end);
    end = at + size;
    return at;
  };
  const tables = place(description.tables.size);
  const all = Array.from({ length: threads }, () => ({
    state: place(description.state.size),
    worker: place(description.worker.size),
    stackTop: place(STACK) + STACK,
  }));
  const shared = place(LINE * (1 + threads) + description.worker.fields.blocks.offset);
  const busy = place(description.busy.size);
  const table = place(tableBytes);
  return { tables, threads: all, shared, busy, table, tableBytes, pages: Math.ceil(end / PAGE) };
}

// A record in memory; fields of 64 bits are BigInts.
export class Record {
  constructor(memory, { size, fields }, at) {
    this.memory = memory;
    this.fields = fields;
    this.at = at;
    this.size = size;
    this.view = new DataView(memory.buffer);
  }

  place(name, index) {
    const { type, offset } = this.fields[name];
    return this.at + offset + index * SIZES[type];
  }

  get(name, index = 0) {
    const type = TYPES[this.fields[name].type];
    return this.view[`get${type}`](this.place(name, index), true);
  }

  set(name, value, index = 0) {
    const type = TYPES[this.fields[name].type];
    this.view[`set${type}`](this.place(name, index), value, true);
  }

  // The field as bytes, to be read and written.
  bytes(name) {
    const { type, shape, offset } = this.fields[name];
    const length = shape.reduce((product, side) => product * side, SIZES[type]);
    return new Uint8Array(this.memory.buffer, this.at + offset, length);
  }

  all() {
    return new Uint8Array(this.memory.buffer, this.at, this.size);
  }
}

export class Kernel {
  // `stackTop` is for an instance that shares its memory with others.
  static async start(module, description, memory, stackTop = null) {
    const env = { memory, kaname_clock: () => nanoseconds(now()) };
    const { exports } = await WebAssembly.instantiate(module, { env });
    if (stackTop !== null) exports.__stack_pointer.value = stackTop;
    return new Kernel(exports, description, memory);
  }

  constructor(exports, description, memory) {
    this.description = description;
    this.memory = memory;
    this.exports = exports;
  }

  record(kind, at) {
    return new Record(this.memory, this.description[kind], at);
  }

  // Calls an entry point; numbers of 64 bits are BigInts there, and addresses are not.
  call(name, ...values) {
    const { result, arguments: kinds } = this.description.entries[`kaname_${name}`];
    const passed = values.map((value, i) => (kinds[i] === "u8" ? BigInt(value) : value));
    const found = this.exports[`kaname_${name}`](...passed);
    return result === "void" ? null : Number(BigInt.asIntN(64, found));
  }
}

// Where a module's own data ends; the module is one for memory that is not shared.
export async function heapBaseOf(module) {
  const env = { memory: memoryFor({ pages: PROBE_PAGES }, false), kaname_clock: () => 0n };
  const { exports } = await WebAssembly.instantiate(module, { env });
  return exports.__heap_base.value;
}

// A memory for these places; `maximum` lets a shared one grow no further.
export function memoryFor({ pages }, isShared) {
  return isShared
    ? new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
    : new WebAssembly.Memory({ initial: pages, maximum: pages });
}

// The module for a memory that is shared or not: the same bytes but for one flag of the imported memory.
export function compiled(bytes, flagAt, isShared) {
  const own = new Uint8Array(bytes);
  if (isShared) own[flagAt] |= 2;
  return WebAssembly.compile(own);
}
