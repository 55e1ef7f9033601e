// Games as SGF (https://www.red-bean.com/sgf/): the main line of the first game of a file.

import { GameError, newGame, withMoves } from "./game.js";
import { shortened } from "./notation.js";
import { RULES, ruleName } from "./rules.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const COLOURS = ["B", "W"];
const DEFAULT_SIZE = 15;
const MAX_NODES = 2000;

export function isSgf(text) {
  return /^\s*\(\s*;/.test(text.replace(/^\uFEFF/, ""));
}

// The nodes of the main line, each a map from a property's name to its values.
function mainLine(text) {
  const nodes = [];
  let at = text.indexOf("(");
  let depth = 0;
  let name = "";
  while (at < text.length) {
    const char = text[at];
    if (char === "(") depth += 1;
    else if (char === ")") return { nodes, isWhole: true }; // the main line ends with the first variation
    else if (char === ";") {
      if (nodes.length === MAX_NODES) throw new GameError("That SGF file has too many moves.");
      nodes.push(new Map());
      name = "";
    } else if (char === "[") {
      const [value, end] = valueFrom(text, at + 1);
      if (!nodes.length || !name) throw new GameError("That SGF file has a value that belongs to nothing.");
      nodes.at(-1).set(name, [...(nodes.at(-1).get(name) ?? []), value]);
      at = end;
    } else if (/[A-Z]/.test(char)) {
      const found = /[A-Za-z]+/y;
      found.lastIndex = at;
      [name] = found.exec(text);
      at += name.length - 1;
      name = name.replace(/[a-z]/g, "");
    } else if (!/\s/.test(char)) {
      throw new GameError(`That is no SGF file: “${shortened(text.slice(at), 20)}” is out of place.`);
    }
    at += 1;
  }
  return { nodes, isWhole: depth === 0 };
}

// A value, in which a backslash keeps the next character, and the place of its closing bracket.
function valueFrom(text, start) {
  let value = "";
  for (let at = start; at < text.length; at++) {
    if (text[at] === "]") return [value, at];
    if (text[at] === "\\") at += 1;
    value += text[at] ?? "";
  }
  throw new GameError("That SGF file ends within a value.");
}

function sizeOf(root) {
  const [text] = root.get("SZ") ?? [String(DEFAULT_SIZE)];
  const found = /^(\d{1,3})(?::(\d{1,3}))?$/.exec(text.trim());
  if (found === null) throw new GameError(`“${shortened(text)}” is not the size of a board.`);
  return [Number(found[1]), Number(found[2] ?? found[1])];
}

// The rule that RU names as the runner does; `rule` if it names none of them.
function ruleOf(root, rule) {
  const [text] = root.get("RU") ?? [""];
  const wanted = text.trim().toLowerCase();
  return RULES.find(({ name }) => name.toLowerCase() === wanted)?.number ?? rule;
}

// A point as letters, or as a cell such as H8, which some programs write.
function pointOf(text) {
  const value = text.trim();
  if (/^[a-z]{2}$/.test(value)) return [LETTERS.indexOf(value[0]), LETTERS.indexOf(value[1])];
  const cell = /^([A-Za-z])([1-9]\d?)$/.exec(value);
  if (cell) return [cell[1].toLowerCase().charCodeAt(0) - 97, Number(cell[2]) - 1];
  throw new GameError(`“${shortened(value)}” is not a point of an SGF file.`);
}

export function parseSgf(text, rule) {
  const { nodes, isWhole } = mainLine(text.replace(/^\uFEFF/, ""));
  if (!nodes.length) throw new GameError("That SGF file has no game in it.");
  if (!isWhole) throw new GameError("That SGF file is cut off.");
  const [width, height] = sizeOf(nodes[0]);
  if (nodes.some((node) => node.has("AB") || node.has("AW"))) {
    throw new GameError("That SGF file places stones without an order of moves.");
  }
  const moves = [];
  for (const node of nodes) {
    for (const colour of COLOURS) {
      const [value] = node.get(colour) ?? [];
      if (value === undefined) continue;
      if (COLOURS[moves.length % 2] !== colour) {
        const wanted = colour === "B" ? "white's" : "black's";
        throw new GameError(`Stone ${moves.length + 1} of that SGF file is not ${wanted}.`);
      }
      moves.push(pointOf(value));
    }
  }
  return withMoves(newGame({ width, height, rule: ruleOf(nodes[0], rule) }), moves);
}

export function sgfText({ width, height, rule, moves }) {
  const size = width === height ? width : `${width}:${height}`;
  const root = `;FF[4]GM[4]CA[UTF-8]AP[Kaname]SZ[${size}]RU[${ruleName(rule).toLowerCase()}]`;
  const nodes = moves.map(([x, y], ply) => `;${COLOURS[ply % 2]}[${LETTERS[x]}${LETTERS[y]}]`);
  return `(${[root, ...nodes].join("\n")})\n`;
}
