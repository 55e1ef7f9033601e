// What the page carries in compressed form: the module and the learned tables.

// The parts of `packed`, base64 of zlib, by the names and sizes in `sizes`.
export async function unpacked(packed, sizes) {
  const bytes = Uint8Array.from(atob(packed.trim()), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const all = new Uint8Array(await new Response(stream).arrayBuffer());
  let end = 0;
  return new Map(sizes.map(([name, size]) => {
    end += size;
    return [name, all.subarray(end - size, end)];
  }));
}

// The tables by rule and field; `families` names the family of each rule, "family/field" the parts.
export function learnedTables(parts, families) {
  const tables = {};
  for (const [rule, family] of Object.entries(families)) {
    const own = [...parts].filter(([name]) => name.startsWith(`${family}/`));
    tables[rule] = Object.fromEntries(own.map(([name, bytes]) => [name.slice(family.length + 1), bytes]));
  }
  return tables;
}
