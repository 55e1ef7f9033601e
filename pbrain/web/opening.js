// The first two moves of a game, which need no search.

const ROOM = 4; // nearer to the edge, a search has to find the reply

// The centre, or the cell diagonally next to the first stone on the side of the centre; null for later moves.
export function firstMove([width, height], moves) {
  if (!moves.length) return [Math.floor(width / 2), Math.floor(height / 2)];
  if (moves.length > 1) return null;
  const [[x, y]] = moves;
  if (x < ROOM || x >= width - ROOM || y < ROOM || y >= height - ROOM) return null;
  return [x + (2 * x < width ? 1 : -1), y + (2 * y < height ? 1 : -1)];
}
