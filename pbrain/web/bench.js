// The fixed searches of pbrain/bench.py, whose signature is the same on every machine.

const CRC_POLYNOMIAL = 0xedb88320;

// Node counts, scores and best cells of these positions, and how long they took.
export function bench(engine, { positions, depth, tableBytes }, now) {
  const before = engine.tableBytes;
  engine.setTable(tableBytes);
  const began = now();
  const results = positions.map(({ width, height, rule, moves }) => {
    engine.newGame(width, height, rule);
    engine.position.play(moves);
    return engine.search(depth);
  });
  const seconds = (now() - began) / 1000;
  engine.setTable(before);
  const nodes = results.reduce((sum, [count]) => sum + count, 0);
  return { nodes, seconds, signature: signature(results), results };
}

function signature(results) {
  const text = `[${results.map((result) => `(${result.join(", ")})`).join(", ")}]`;
  return crc32(new TextEncoder().encode(text)).toString(16).padStart(8, "0");
}

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ CRC_POLYNOMIAL : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
