// A position as the fragment of an address, which the engine's page opens.

import { cellName } from "./cells.js";

// `shown` is how many of the moves to show; all by default.
export function fragmentOf({ width, height, rule, moves, shown = moves.length }) {
  const size = width === height ? width : `${width}x${height}`;
  const end = shown === moves.length ? "" : `&shown=${shown}`;
  return `#moves=${moves.map(cellName).join("")}&size=${size}&rule=${rule}${end}`;
}
