// The page: a game, who plays it, and what the engine is asked; views show it and call back.

import { cellName } from "../pages/cells.js";
import { BestLines } from "./best_lines.js";
import { BoardView } from "./board_view.js";
import { ControlsView } from "./controls_view.js";
import { Evaluations } from "./evaluations.js";
import { FilesView } from "./files_view.js";
import { parseFragment, isFragment } from "./fragment.js";
import { GameError, boardOf, goTo, isAtEnd, newGame, played, shownMoves, stonesAfterStep, withMoves } from "./game.js";
import { heatOf } from "./heat.js";
import { now } from "./kernel.js";
import { FULL, LEVELS, drawn, limitsOf } from "./levels.js";
import { PlayView } from "./play_view.js";
import { PuzzleView } from "./puzzle_view.js";
import { answerTo } from "./puzzle_play.js";
import { attacker, task } from "./puzzles.js";
import { readGame } from "./reading.js";
import { statusText } from "./status.js";
import { StudyView } from "./study_view.js";
import { Swap2View } from "./swap2_view.js";
import { actor, afterChoice, afterStones, beginSwap2, engineChoice, isPlacing } from "./swap2_phases.js";
import { Tabs } from "./tabs.js";
import { ScoreBar, ThinkingView } from "./thinking_view.js";

const HINT = 1000; // milliseconds
const FIRST_SETTINGS = { players: ["person", "engine"], level: 1, turn: 1000, asksTwice: true };

export class App {
  // `places` are elements: { board, status, message, bar, controls, side }.
  constructor(places, { referee, client, puzzles, about }) {
    Object.assign(this, { places, referee, client, settings: FIRST_SETTINGS });
    this.game = newGame();
    this.swap2 = null;
    this.puzzle = null;
    this.kept = null; // the game that a puzzle has interrupted
    this.job = null;
    this.isAnalysing = false;
    this.isThinking = false;
    this.isNumbered = false;
    this.hasHeat = false;
    this.lines = 1;
    this.line = []; // drawn on the board
    this.reports = []; // of the position that is shown
    this.evaluations = new Evaluations();
    this.makeViews(puzzles, about);
    this.proceed();
  }

  makeViews(puzzles, about) {
    this.board = new BoardView(this.places.board, {
      chosen: (cell) => this.choose(cell),
      asked: (cell) => this.say(`Tap ${cellName(cell)} again to play there.`),
    });
    this.controls = new ControlsView(this.places.controls, this);
    this.bar = new ScoreBar(this.places.bar);
    this.play = new PlayView(this.settings, {
      changed: (settings) => this.change(settings),
      started: (next) => this.start(next),
    });
    this.swap2View = new Swap2View((choice) => this.chooseSwap2(choice));
    this.thinking = new ThinkingView({
      toggled: () => this.toggleAnalysis(),
      linesChanged: (lines) => this.setLines(lines),
      heatChanged: (has) => this.setHeat(has),
      pointed: () => this.renderThoughts(),
    });
    this.study = new StudyView({
      picked: (stones) => this.browse(stones),
      started: (ms) => this.analyseGame(ms),
      stopped: () => this.endStudy(),
    });
    this.files = new FilesView({
      opened: (text) => this.open(() => readGame(text, boardOf(this.game))),
      told: (sentence) => this.say(sentence),
      current: () => this.game,
    });
    this.puzzles = new PuzzleView(puzzles, {
      opened: (puzzle) => this.openPuzzle(puzzle),
      solved: () => this.showSolution(),
    });
    const analysis = document.createElement("div");
    analysis.append(this.thinking.node, this.study.node);
    this.places.controls.after(this.swap2View.node);
    this.tabs = new Tabs(this.places.side, [
      ["play", "Play", this.play.node],
      ["analyse", "Analyse", analysis],
      ["files", "Files", this.files.node],
      ["puzzles", "Puzzles", this.puzzles.node],
      ["about", "About", about],
    ], (id) => this.showTab(id));
  }

  showTab(id) {
    if (!this.verdict) return; // the page is being made
    if (id === "puzzles") this.puzzles.go();
    else if (id !== "about" && this.puzzle) this.leavePuzzle();
    else if (id === "analyse") this.renderThoughts();
  }

  // -- what is shown --------------------------------------------------------------------------------------------------

  get players() {
    return this.settings.players;
  }

  say(sentence) {
    this.places.message.textContent = sentence;
  }

  render() {
    const { game, verdict } = this;
    this.places.status.textContent = this.puzzle ? this.puzzleStatus : statusText(this);
    this.board.show({
      game,
      moves: shownMoves(game),
      verdict,
      isNumbered: this.isNumbered,
      mayPlay: this.mayPlay,
      asksTwice: this.settings.asksTwice,
    });
    this.controls.show(this);
    this.swap2View.show(this.swap2 && !this.isSwap2Engine ? this.swap2 : null);
    this.files.show();
    this.renderThoughts();
  }

  // What changes with each iteration of a search, many times per second: as little as possible.
  renderThoughts() {
    const { reports } = this;
    const sign = this.verdict.toMove ? -1 : 1;
    this.thinking.show(reports, sign, this);
    const candidates = this.hasHeat ? heatOf(reports[0]?.candidates, reports) : [];
    this.board.showThoughts(candidates, this.thinking.pointedLine ?? this.line);
    this.showScore(sign);
    if (this.tabs.shown === "analyse") this.study.show(this.game, this.evaluations, this.job);
  }

  // Shows thoughts with the next frame, however many come until then.
  renderSoon() {
    if (this.isRenderDue) return;
    this.isRenderDue = true;
    requestAnimationFrame(() => {
      this.isRenderDue = false;
      this.renderThoughts();
    });
  }

  showScore(sign) {
    const [best] = this.reports;
    const known = this.evaluations.of(shownMoves(this.game));
    this.places.bar.hidden = this.puzzle !== null;
    if (this.verdict.isOver) this.bar.show(known?.score ?? null, "");
    else if (best) this.bar.show(sign * best.score, `depth ${best.depth}`);
    else this.bar.show(known?.score ?? null, known ? `depth ${known.depth}` : "Not evaluated yet");
  }

  drawLine(line) {
    this.line = line;
    this.renderThoughts();
  }

  get mayPlay() {
    if (this.verdict.isOver) return false;
    if (this.puzzle) return this.verdict.toMove === attacker(this.puzzle) && !this.isThinking;
    if (this.swap2) return isPlacing(this.swap2) && !this.isSwap2Engine;
    return this.players[this.verdict.toMove] === "person";
  }

  get isSwap2Engine() {
    return this.swap2 !== null && actor(this.swap2) === "engine";
  }

  // -- what happens next ----------------------------------------------------------------------------------------------

  // After every change: judge, show, and ask the engine what there is to ask.
  proceed() {
    this.token = {};
    this.line = [];
    this.reports = [];
    this.isThinking = false;
    this.job = null;
    this.verdict = this.referee.judge(this.game);
    if (this.verdict.isOver) this.evaluations.addEnd(shownMoves(this.game), this.verdict.winner);
    if (this.swap2) this.swap2 = afterStones(this.swap2, this.game.shown);
    const isTheirs = !this.verdict.isOver && isAtEnd(this.game) && this.players[this.verdict.toMove] === "engine";
    if (this.puzzle) this.client.drop();
    else if (this.isSwap2Engine) this.openBySwap2();
    else if (!this.swap2 && isTheirs) this.moveEngine();
    else if (!this.swap2 && this.isAnalysing && !this.verdict.isOver) this.analyse();
    else this.client.drop();
    this.render();
  }

  // The engine's thoughts on the position that is shown, as they come; null if something else has happened meanwhile.
  async think(limits, lines) {
    const { token } = this;
    const moves = shownMoves(this.game);
    const best = new BestLines();
    const question = { game: boardOf(this.game), moves, limits: { ...limits, began: now() }, lines };
    const value = await this.client.ask("think", question, (report) => {
      if (this.token !== token || !best.add(report)) return;
      this.evaluations.add(moves, best.whole[0]);
      this.reports = best.whole;
      this.renderSoon();
    });
    return this.token === token && value !== null ? { value, lines: best.whole } : null;
  }

  async moveEngine() {
    this.isThinking = true;
    const { level, turn } = this.settings;
    const found = await this.think(limitsOf(level, turn), LEVELS[level].lines);
    if (found === null) return;
    const isWhole = found.lines.length > 1;
    const { line } = isWhole ? drawn(found.lines, level, Math.random()) : found.value;
    this.game = played(this.game, line[0]);
    this.proceed();
  }

  analyse() {
    this.think({ isAnalysis: true }, this.lines);
  }

  moveNow() {
    this.client.finish();
  }

  async hint() {
    this.proceed();
    const found = await this.think({ turn: HINT }, 1);
    if (found === null) return;
    const [move] = found.value.line;
    this.say(`Hint: ${cellName(move)}.`);
    this.drawLine([move]);
  }

  // -- what people do -------------------------------------------------------------------------------------------------

  choose(cell) {
    this.say("");
    if (!this.mayPlay) {
      if (!this.verdict.isOver && !this.puzzle && !this.swap2) this.say("It is not your move here.");
      return;
    }
    const reason = this.referee.refusal(this.game, cell);
    if (reason !== null) {
      this.say(reason);
      return;
    }
    this.game = played(this.game, cell);
    if (this.puzzle) this.answerPuzzle();
    else this.proceed();
  }

  change(settings) {
    this.settings = settings;
    this.say("");
    if (!this.puzzle) this.proceed();
  }

  start({ width, height, rule, isSwap2 }) {
    this.puzzle = this.kept = null;
    this.begin(newGame({ width, height, rule }));
    this.swap2 = isSwap2 ? beginSwap2(this.players) : null;
    this.say("");
    this.proceed();
    this.places.board.scrollIntoView({ block: "nearest" });
  }

  // Another game than before.
  begin(game) {
    this.game = game;
    this.swap2 = null;
    this.evaluations.clear();
  }

  step(direction) {
    const isPerson = this.players.map((player) => player === "person");
    const shown = stonesAfterStep(this.game, direction, isPerson);
    if (shown !== this.game.shown) this.browse(shown);
  }

  // Shows another moment of the game; an analysis of all of it goes on meanwhile.
  browse(stones) {
    this.say("");
    this.swap2 = null;
    this.game = goTo(this.game, stones);
    if (!this.job) {
      this.proceed();
      return;
    }
    this.verdict = this.referee.judge(this.game);
    this.reports = [];
    this.render();
  }

  // Drops the moves that come after those shown, and plays on.
  goOnHere() {
    this.game = withMoves(this.game, shownMoves(this.game));
    this.proceed();
  }

  setNumbered(is) {
    this.isNumbered = is;
    this.render();
  }

  setHeat(has) {
    this.hasHeat = has;
    if (has && !this.isAnalysing && !this.isThinking) this.toggleAnalysis();
    else this.render();
  }

  setLines(lines) {
    this.lines = lines;
    if (this.isAnalysing && !this.isThinking) this.proceed();
  }

  toggleAnalysis() {
    this.isAnalysing = !this.isAnalysing;
    if (this.isThinking) this.render();
    else if (this.isAnalysing) this.proceed();
    else this.endStudy(); // what was found stays
  }

  // -- other games ----------------------------------------------------------------------------------------------------

  // A game from outside, to study; `read` may throw a GameError, and then nothing has changed.
  open(read) {
    try {
      const game = read();
      this.referee.check(game);
      this.puzzle = this.kept = null;
      this.begin(game);
      this.settings = { ...this.settings, players: ["person", "person"] };
      this.play.showPlayers(this.players);
      this.proceed();
      this.say(`Opened ${game.moves.length} stones. You play both sides.`);
      return true;
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      this.say(error.message);
      return false;
    }
  }

  openFragment(text) {
    if (isFragment(text)) this.open(() => parseFragment(text));
    else if (text.length > 1) this.say("The part of the address after # is no position.");
  }

  // -- the whole game -------------------------------------------------------------------------------------------------

  async analyseGame(ms) {
    const { game } = this;
    this.isAnalysing = false;
    this.proceed();
    this.client.drop();
    const { token } = this;
    const places = Array.from({ length: game.moves.length + 1 }, (_, i) => game.moves.length - i);
    this.job = { done: 0, all: places.length };
    this.render();
    for (const stones of places) {
      await this.evaluate(goTo(game, stones), ms);
      if (this.token !== token) return;
      this.job = { ...this.job, done: this.job.done + 1 };
      this.renderThoughts();
    }
    this.endStudy();
  }

  async evaluate(game, ms) {
    const moves = shownMoves(game);
    const { isOver, winner } = this.referee.judge(game);
    if (isOver) {
      this.evaluations.addEnd(moves, winner);
      return;
    }
    const question = { game: boardOf(game), moves, limits: { turn: ms, isAnalysis: true }, lines: 1 };
    const value = await this.client.ask("think", question);
    if (value !== null) this.evaluations.add(moves, value);
  }

  // Ends what the engine does for study; the position stays as it is shown.
  endStudy() {
    this.job = null;
    this.token = {};
    this.client.drop();
    this.render();
  }

  // -- Swap2 ----------------------------------------------------------------------------------------------------------

  chooseSwap2(choice) {
    this.swap2 = afterChoice(this.swap2, choice);
    if (this.swap2.phase === "over") {
      this.settings = { ...this.settings, players: this.swap2.players };
      this.play.showPlayers(this.players);
      this.swap2 = null;
    }
    this.proceed();
  }

  async openBySwap2() {
    this.isThinking = true;
    const { token } = this;
    const limits = { turn: this.settings.level === FULL ? this.settings.turn : HINT };
    const answer = await this.client.ask("swap2", { game: boardOf(this.game), moves: shownMoves(this.game), limits });
    if (this.token !== token || answer === null) return;
    const { stones, choice } = engineChoice(this.swap2, answer);
    for (const stone of stones) this.game = played(this.game, stone);
    const told = { black: "Kaname takes black.", white: "Kaname takes white.", two: "Kaname places two more stones." };
    if (choice) this.say(told[choice]);
    if (choice) this.chooseSwap2(choice);
    else this.proceed();
  }

  // -- puzzles --------------------------------------------------------------------------------------------------------

  openPuzzle(puzzle) {
    if (!this.puzzle) this.kept = { game: this.game, swap2: this.swap2 };
    this.puzzle = puzzle;
    this.puzzleStatus = task(puzzle);
    this.game = puzzle.game;
    this.swap2 = null;
    this.isAnalysing = false;
    this.say("");
    this.proceed();
  }

  // Goes back to the game that the puzzle has interrupted.
  leavePuzzle() {
    this.puzzle = null;
    this.game = this.kept.game;
    this.swap2 = this.kept.swap2;
    this.say("");
    this.proceed();
  }

  async answerPuzzle() {
    const { puzzle } = this;
    this.proceed();
    if (this.verdict.winner !== null) {
      this.puzzleStatus = "Solved.";
      this.puzzles.noteSolved(puzzle.number);
      this.render();
      return;
    }
    this.isThinking = true;
    const { token } = this;
    const answer = await answerTo(this.client, puzzle, shownMoves(this.game));
    if (this.token !== token || answer === null) return;
    if (!answer.isWinning) {
      const wrong = cellName(this.game.moves.at(-1));
      this.game = withMoves(this.game, this.game.moves.slice(0, -1));
      this.puzzleStatus = `${wrong} does not win: ${cellName(answer.reply)} stops it. Try another.`;
    } else {
      this.game = played(this.game, answer.reply);
      this.puzzleStatus = `Right. The answer is ${cellName(answer.reply)}. Go on.`;
    }
    this.proceed();
  }

  showSolution() {
    const { puzzle } = this;
    if (!puzzle) return;
    this.game = puzzle.game;
    this.puzzleStatus = `The solution: ${puzzle.solution.map(cellName).join(" ")}.`;
    this.proceed();
    this.drawLine(puzzle.solution);
  }
}
