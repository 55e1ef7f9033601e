// The searches of pbrain/bench.py in WebAssembly: node wasm_search.mjs LIBRARY DESCRIPTION < job
// A line for each position: nodes, score, best cell.
import fs from 'fs';

const [library, description] = process.argv.slice(2);
const { state, tables, worker } = JSON.parse(fs.readFileSync(description, 'utf8'));
const job = JSON.parse(fs.readFileSync(0, 'utf8'));
const env = { kaname_clock: () => process.hrtime.bigint() };
const { instance } = await WebAssembly.instantiate(fs.readFileSync(library), { env });
const kernel = instance.exports;

let end = kernel.__heap_base.value;
const place = (size) => {
  const at = Math.ceil(end / 64) * 64;
  end = at + size;
  const pages = Math.ceil(end / 65536) - kernel.memory.buffer.byteLength / 65536;
  if (pages > 0) kernel.memory.grow(pages);
  return at;
};
const [tablesAt, stateAt, workerAt, tableAt] = [tables.size, state.size, worker.size, job.table_bytes].map(place);
const view = new DataView(kernel.memory.buffer);
const bytes = new Uint8Array(kernel.memory.buffer);
const field = (record, at, name) => at + record.fields[name].offset;

console.log(BigInt.asUintN(64, kernel.kaname_layout()).toString());
for (const { width, height, rule, value, threats, order, near_last, cells } of job.positions) {
  bytes.fill(0, workerAt, workerAt + worker.size);
  bytes.fill(0, tableAt, tableAt + job.table_bytes);
  kernel.kaname_prepare(tablesAt, BigInt(rule));
  for (const [name, data] of Object.entries({ value, order, near_last })) {
    bytes.set(Buffer.from(data, 'base64'), field(tables, tablesAt, name));
  }
  threats.forEach((worth, i) => view.setInt16(field(tables, tablesAt, 'threat_value') + 2 * i, worth, true));
  kernel.kaname_clear(stateAt, BigInt(tablesAt), BigInt(width), BigInt(height));
  for (const cell of cells) {
    kernel.kaname_make(stateAt, BigInt(cell), BigInt(view.getUint8(field(state, stateAt, 'to_move'))));
  }
  view.setBigUint64(field(worker, workerAt, 'table'), BigInt(tableAt), true);
  view.setBigUint64(field(worker, workerAt, 'table_clusters'), BigInt(job.table_bytes / 64), true);
  view.setBigUint64(field(worker, workerAt, 'node_limit'), 1n << 62n, true);
  view.setBigInt64(field(worker, workerAt, 'deadline_ns'), 1n << 62n, true);
  kernel.kaname_begin_search(stateAt, workerAt);
  for (let depth = 1; depth <= job.depth; depth++) kernel.kaname_iterate(stateAt, workerAt, BigInt(depth), 0n);
  const nodes = view.getBigUint64(field(worker, workerAt, 'nodes'), true);
  const score = view.getInt32(field(worker, workerAt, 'score'), true);
  const cell = view.getUint16(field(worker, workerAt, 'root_moves'), true);
  console.log(nodes.toString(), score, cell);
}
