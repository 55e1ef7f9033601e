// Cells as people write them: a1 is the corner where x and y are 0; aa follows z.

export function columnName(x) {
  const last = String.fromCharCode(97 + (x % 26));
  return x < 26 ? last : String.fromCharCode(96 + Math.floor(x / 26)) + last;
}

export function cellName([x, y]) {
  return `${columnName(x)}${y + 1}`;
}
