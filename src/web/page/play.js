import { T } from "./texts.js";
import { svg, center } from "./board.js";
import { squareNumber } from "./rules.js";
import { button, colorName, discs, field, h, option, put } from "./panel.js";
import { fileButtons } from "./files.js";

// Playing a game: against a preset, both sides, or watching the engine play itself.

const CLOCKS = [[0, 0], [1, 0], [3, 0], [5, 0], [5, 5], [15, 0], [30, 0]];

export class Play {
  constructor(app) {
    this.app = app;
    const kept = app.settings.play || {};
    this.preset = kept.preset || null;
    this.side = kept.side || "X"; // X, O, both, nobody
    this.clockChoice = kept.clock || 0;
    this.clocks = null;
    this.asked = 0;
    this.build();
    setInterval(() => this.tickClock(), 200);
  }

  get human() {
    return this.side === "O" ? "O" : "X";
  }

  isEngine(color) {
    return this.side === "nobody" || (this.side !== "both" && color !== this.side);
  }

  build() {
    this.presets = h("select", { "aria-label": T.opponent, onchange: () => this.choose({ preset: this.presets.value }) });
    this.sides = h("select", { onchange: () => this.choose({ side: this.sides.value }) },
      option("X", T.black), option("O", T.white), option("both", T.both), option("nobody", T.nobody));
    this.clockSelect = h("select", { onchange: () => this.choose({ clock: Number(this.clockSelect.value) }) },
      CLOCKS.map(([m, plus], i) => option(i, m === 0 ? T.noClock : T.minutes(m, plus))));
    this.sides.value = this.side;
    this.clockSelect.value = this.clockChoice;
    this.message = h("p", { class: "message", role: "status" });
    this.undoButton = button(T.undo, () => this.undo());
    this.hintButton = button(T.hint, () => this.hint());
    this.resignButton = button(T.resign, () => this.resign());
  }

  panel() {
    return [
      h("h1", { text: T.places.play }),
      h("div", { class: "fields" }, field(T.opponent, this.presets), field(T.yourColor, this.sides), field(T.clock, this.clockSelect)),
      this.message,
      h("div", { class: "row actions" }, button(T.newGame, () => this.newGame(), { class: "main" }), this.undoButton, this.hintButton, this.resignButton),
      this.app.record.element,
      fileButtons(this.app),
    ];
  }

  hello(hello) {
    const groups = { levels: [], others: [] };
    for (const preset of hello.presets) {
      const level = /^level-(\d+)$/.exec(preset.name);
      const text = level ? `${T.level(level[1])} – ${preset.description.replace(/^level \d+ of 10: /, "")}` : `${preset.name} – ${preset.description}`;
      groups[level ? "levels" : "others"].push(option(preset.name, text));
    }
    this.presets.replaceChildren(
      h("optgroup", { label: T.levels }, groups.levels), h("optgroup", { label: T.otherPlayers }, groups.others));
    const known = hello.presets.some((preset) => preset.name === this.preset);
    this.preset = known ? this.preset : hello.preset;
    this.presets.value = this.preset;
    const { black, white } = this.app.game;
    if (this.app.place === "play" && [black, white].every((name) => name === "" || name === T.you || name.startsWith("Kitai,"))) this.names();
  }

  choose(change) {
    if (change.preset) this.preset = change.preset;
    if (change.side) this.side = change.side;
    if (change.clock !== undefined) {
      this.clockChoice = change.clock;
      this.startClocks();
    }
    this.presets.value = this.preset;
    this.sides.value = this.side;
    this.app.set("play", { preset: this.preset, side: this.side, clock: this.clockChoice });
    this.cancel();
    this.names();
    this.app.changed();
  }

  names() {
    const engine = this.presetName();
    this.app.game.black = this.isEngine("X") ? engine : T.you;
    this.app.game.white = this.isEngine("O") ? engine : T.you;
  }

  presetName() {
    const level = /^level-(\d+)$/.exec(this.preset || "");
    return level ? `Kitai, ${T.level(level[1]).toLowerCase()}` : `Kitai, ${this.preset}`;
  }

  newGame() {
    this.cancel();
    this.app.game.reset();
    this.startClocks();
    this.names();
    this.app.changed();
  }

  startClocks() {
    const [minutes, increment] = CLOCKS[this.clockChoice];
    this.clocks = minutes === 0 ? null : { X: 60000 * minutes, O: 60000 * minutes, increment: 1000 * increment, since: null };
    this.lostOnTime = null;
  }

  enter() {
    if (this.preset && !this.app.game.black && !this.app.game.white) this.names();
    this.app.game.trunk = null;
  }

  leave() {
    this.cancel();
  }

  back() {
    this.asked = 0;
    this.show();
  }

  cancel() {
    if (this.asked) {
      this.app.link.forget(this.asked);
      this.app.link.tell({ do: "stop", what: "move" });
    }
    this.asked = 0;
    clearTimeout(this.passTimer);
  }

  isRunning() {
    const { game } = this.app;
    return game.isAtEnd && !game.position.isOver && !game.resigned && !this.lostOnTime;
  }

  mayPlay() {
    const at = this.app.game.position;
    return this.isRunning() && !at.mustPass && !this.isEngine(at.turn);
  }

  play(name) {
    this.made(name, {});
  }

  // A move has been chosen by whoever it was.
  made(name, note) {
    const { game } = this.app;
    const color = game.position.turn;
    const used = this.chargeClock(color);
    game.play(name, { seconds: used, ...note }, false);
    this.app.click();
    this.app.changed({ animate: true });
    this.app.say(`${colorName(color)} ${name}. ${this.app.result() || T.toMove(colorName(game.position.turn))}`);
  }

  chargeClock(color) {
    const now = performance.now();
    const used = this.since === undefined ? undefined : (now - this.since) / 1000;
    if (this.clocks && used !== undefined) this.clocks[color] = this.clocks[color] - 1000 * used + this.clocks.increment;
    this.since = now;
    return used === undefined ? undefined : Math.round(1000 * used) / 1000;
  }

  clockLeft(color) {
    const { game } = this.app;
    const running = this.isRunning() && game.position.turn === color && this.since !== undefined && game.end > 0;
    return this.clocks[color] - (running ? performance.now() - this.since : 0);
  }

  clockText(color) {
    if (!this.clocks) return "";
    const left = Math.max(0, this.clockLeft(color)) / 1000;
    return `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
  }

  tickClock() {
    if (this.app.place !== "play" || !this.clocks || !this.isRunning()) return;
    const color = this.app.game.position.turn;
    if (this.clockLeft(color) <= 0) {
      this.lostOnTime = color;
      this.cancel();
      this.show();
    }
    this.app.drawStrips(this.app.shown);
  }

  turnNote(color) {
    if (!this.isRunning()) return "";
    return this.isEngine(color) ? T.thinking + " …" : "";
  }

  // Does what the position asks for: a pass, an answer of the engine, or waiting.
  show() {
    const { game } = this.app;
    const at = game.position;
    const result = this.lostOnTime ? T.outOfTime(colorName(this.lostOnTime)) : this.app.result();
    let text = result || (this.isEngine(at.turn) ? `${T.toMove(colorName(at.turn))}, ${T.thinking} …` : `${T.yourMove} (${colorName(at.turn)})`);
    if (!result && at.last === "pa") text = `${T.passes(colorName(at.turn === "X" ? "O" : "X"))}. ${text}`;
    this.undoButton.disabled = game.end === 0;
    this.hintButton.disabled = !this.mayPlay();
    this.resignButton.disabled = !this.mayPlay() || game.end === 0;
    if (game.isAtEnd && at.mustPass && !result) {
      text = T.passes(colorName(at.turn));
      this.app.say(text);
      clearTimeout(this.passTimer);
      this.passTimer = setTimeout(() => {
        if (this.app.place === "play" && game.isAtEnd && game.position.mustPass) this.made("pa", {});
      }, 700);
    } else if (this.isRunning() && this.isEngine(at.turn)) {
      this.think();
    }
    put(this.message, text);
    if (this.since === undefined) this.since = performance.now();
  }

  think() {
    if (this.asked || !this.app.link.isOpen) return;
    const { game } = this.app;
    const text = game.text();
    const color = game.position.turn;
    const clock = this.clocks ? { left_ms: Math.max(1, Math.round(this.clockLeft(color))), increment_ms: this.clocks.increment } : null;
    // A seed of its own for each game, so that no two games are alike.
    const seed = { seed: String(this.gameSeed()) };
    this.asked = this.app.link.ask({ do: "move", game: text, preset: this.preset, set: seed, clock }, (say) => {
      if (say.say === "refused") {
        this.asked = 0;
        this.app.banner(say.reason, 8000);
        return;
      }
      if (say.say !== "done") return;
      this.asked = 0;
      const line = say.report.lines[0];
      if (game.text() !== text || !line || line.pv.length === 0) return;
      game.go(game.end);
      const label = say.report.origin === "book" ? "book" : line.certainty.kind === "exact" ? "100%" : line.certainty.kind === "probable" ? `${say.report.depth}@${line.certainty.percent}%` : String(say.report.depth);
      this.made(line.pv[0].toLowerCase(), { eval: line.score, depth: label });
    });
  }

  gameSeed() {
    if (this.app.game.end < 2 || !this.seed) this.seed = 1 + Math.floor(Math.random() * 1e9);
    return this.seed;
  }

  undo() {
    this.cancel();
    this.lostOnTime = null;
    const mine = (at) => !at.mustPass && !this.isEngine(at.turn);
    this.app.game.undo(this.side === "nobody" ? () => true : mine);
    this.app.changed();
  }

  resign() {
    this.cancel();
    this.app.game.resigned = this.app.game.position.turn;
    this.app.changed();
    this.app.say(this.app.result());
  }

  hint() {
    // The answer is looked at for a moment, not for ever.
    const { game } = this.app;
    const text = game.text();
    put(this.message, `${T.hint} …`);
    this.app.link.ask({ do: "analyze", game: text, lines: 1, time: 1200 }, (say) => {
      if (say.say === "refused") this.app.banner(say.reason, 8000);
      if (say.say !== "done" && say.say !== "progress") return;
      const line = say.report.lines[0];
      if (game.text() !== text || this.app.place !== "play" || !line) return;
      const name = line.pv[0].toLowerCase();
      const [cx, cy] = center(squareNumber(name));
      this.app.board.mark(svg("circle", { class: "hint", cx, cy, r: 4.4 }));
      put(this.message, `${T.hint}: ${name} ${discs(line.score)}`);
    });
  }

  key(event) {
    if (event.key === "u" && !this.undoButton.disabled) this.undo();
    if (event.key === "h" && !this.hintButton.disabled) this.hint();
    if (event.key === "n") this.newGame();
  }
}

