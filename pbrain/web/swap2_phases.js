// Swap2 as a game of phases: who does what next, and who plays which colour at the end.
//
// One side, the opener, places three stones. The other takes white, or black, or places two more and leaves the choice
// to the opener. White moves next in every case.

export const OPENING = 3;
export const LONG_OPENING = 5;

// `players` are [black, white] of the form: black opens.
export function beginSwap2([opener, responder]) {
  return { phase: "open", opener, responder };
}

// Who has to act: the opener or the responder, by the kind of player; null when Swap2 is over.
export function actor({ phase, opener, responder }) {
  return { open: opener, choose: responder, extend: responder, "choose again": opener }[phase] ?? null;
}

export function isPlacing({ phase }) {
  return phase === "open" || phase === "extend";
}

// The phase after so many stones.
export function afterStones(swap2, stones) {
  if (swap2.phase === "open" && stones >= OPENING) return { ...swap2, phase: "choose" };
  if (swap2.phase === "extend" && stones >= LONG_OPENING) return { ...swap2, phase: "choose again" };
  return swap2;
}

// What can be chosen: a word for the program, and one for people.
export function choices({ phase }) {
  const colours = [["white", "Play white (it is white's move)"], ["black", "Play black"]];
  return phase === "choose" ? [...colours, ["two", "Place two more stones"]] : phase === "choose again" ? colours : [];
}

// The phase after a choice; `players` of { phase: "over" } are [black, white].
export function afterChoice(swap2, choice) {
  if (choice === "two") return { ...swap2, phase: "extend" };
  const chooser = actor(swap2);
  const other = chooser === swap2.opener && swap2.phase === "choose again" ? swap2.responder : swap2.opener;
  return { ...swap2, phase: "over", players: choice === "black" ? [chooser, other] : [other, chooser] };
}

// What the engine's answer means: stones to place, and the choice that goes with them.
export function engineChoice({ phase }, { stones = [], swap = false }) {
  if (phase === "open") return { stones, choice: null };
  if (swap) return { stones: [], choice: "black" };
  return phase === "choose" && stones.length === 2 ? { stones, choice: "two" } : { stones, choice: "white" };
}
