import { play, squareNumber } from "./rules.js";
import { center, svg } from "./board.js";
import { T } from "./texts.js";
import { button, deviation, field, h, isSolved, option, put, seconds, short, shortValue, sourceKind, sourceText } from "./panel.js";
import { fileButtons } from "./files.js";
import { Setup } from "./setup.js";

// Studying a position: the value of every move on its square, the best lines, the game reviewed.

const LINES = 6;
const METHODS = ["minimax", "mcts", "expectation"];

export class Study {
  constructor(app) {
    this.app = app;
    this.isOn = true;
    this.asked = 0;
    this.report = null;
    this.values = new Map(); // what is known of positions looked at before
    this.build();
  }

  build() {
    this.method = h("select", { onchange: () => this.restart() }, METHODS.map((name) => option(name, name)));
    this.toggle = button(T.stop, () => this.switch());
    this.status = h("p", { class: "status", role: "status" });
    this.opening = h("p", { class: "opening", text: T.unnamed });
    this.lines = Array.from({ length: LINES }, () => {
      const parts = { value: h("span", { class: "value" }), from: h("span", { class: "from" }), moves: h("span", { class: "moves" }) };
      return { element: h("li", {}, parts.value, parts.from, parts.moves), ...parts, shown: "" };
    });
    this.list = h("ol", { class: "lines", "aria-label": T.linesTitle }, this.lines.map((line) => line.element));
    this.trunk = button(T.backToGame, () => { this.app.game.backToTrunk(); this.app.changed(); }, { hidden: true });
    this.setupButton = button(T.setup, () => this.setUp());
    this.slot = h("div", { class: "slot" });
  }

  panel() {
    return [
      h("h1", { text: T.places.study }), this.opening,
      h("div", { class: "row" }, field(T.method, this.method), this.toggle),
      this.status, this.list, this.slot,
      h("div", { class: "row" }, this.setupButton, this.trunk),
      this.app.record.element, fileButtons(this.app),
    ];
  }

  enter() {
    this.asked = 0;
    this.forPosition = null;
  }

  leave() {
    this.stopAsking();
    this.stopReview();
    this.setup?.cancel();
  }

  visible(isVisible) {
    if (isVisible) this.restart();
    else {
      this.stopAsking();
      this.stopReview();
    }
  }

  back() {
    this.reviewAsked = 0;
    this.restart();
    this.review();
  }

  mayPlay() {
    return !this.setup;
  }

  touch(square) {
    if (!this.setup) return false;
    this.setup.touch(square);
    return true;
  }

  play(name) {
    this.app.preview = null;
    this.app.game.deviate(name);
    this.app.click();
    this.app.changed({ animate: true });
  }

  setUp() {
    this.stopAsking();
    this.setup = new Setup(this.app, () => {
      this.setup = null;
      this.slot.replaceChildren();
      this.app.changed();
    });
    this.slot.replaceChildren(this.setup.element);
  }

  switch() {
    this.isOn = !this.isOn;
    put(this.toggle, this.isOn ? T.stop : T.analyse);
    if (this.isOn) this.restart();
    else this.stopAsking();
  }

  stopAsking() {
    if (this.asked) {
      this.app.link.forget(this.asked);
      this.app.link.tell({ do: "stop", what: "analyze" });
    }
    this.asked = 0;
  }

  restart() {
    this.forPosition = null;
    this.show();
  }

  show() {
    if (this.setup) return;
    const { game } = this.app;
    this.trunk.hidden = !game.trunk;
    const text = game.text(game.at);
    if (this.forPosition !== text) {
      this.forPosition = text;
      this.stopAsking();
      this.report = this.values.get(this.cacheKey(text)) || null;
      this.name(text);
      if (game.position.isOver) put(this.status, this.app.result(game.position) || T.nothingToAnalyse);
      else if (this.isOn && !document.hidden) this.analyse(text);
      else put(this.status, T.off);
    }
    this.drawValues();
    this.review();
  }

  cacheKey(text) {
    return `${this.method.value} ${text}`;
  }

  analyse(text) {
    if (!this.app.link.isOpen) return;
    if (!this.report) put(this.status, T.waiting);
    const set = { method: this.method.value };
    const asked = this.app.link.ask({ do: "analyze", game: text, lines: 64, set }, (say) => {
      if (this.asked !== asked && this.asked !== 0) return;
      if (say.say === "refused") this.app.banner(say.reason, 8000);
      if (say.say === "tick" && this.report) this.tell(this.report, say.seconds);
      if (say.say !== "progress" && say.say !== "done") return;
      if (this.forPosition !== text) return;
      // A table that is still empty knows less than what was shown before.
      const old = this.values.get(this.cacheKey(text));
      if (old && rank(old) > rank(say.report)) {
        this.tell(old, say.report.seconds);
        return;
      }
      this.keep(text, say.report);
      this.report = say.report;
      this.tell(say.report, say.report.seconds);
      if (!this.app.preview) this.drawValues();
    });
    this.asked = asked;
  }

  keep(text, report) {
    const key = this.cacheKey(text);
    this.values.delete(key);
    this.values.set(key, report);
    if (this.values.size > 300) this.values.delete(this.values.keys().next().value);
  }

  tell(report, time) {
    const { depth, nodes, playouts } = report;
    put(this.status, playouts > 0 ? T.statusPlayouts(short(playouts), seconds(time)) : T.status(depth, short(nodes), seconds(time)));
  }

  // The values on the squares and the list of lines.
  drawValues() {
    const lines = this.report ? this.report.lines.filter((line) => line.pv.length > 0 && line.pv[0].toLowerCase() !== "pa") : [];
    const marks = [];
    lines.forEach((line, index) => {
      const [cx, cy] = center(squareNumber(line.pv[0].toLowerCase()));
      const best = line.score === lines[0].score ? " best" : "";
      if (best) marks.push(svg("rect", { class: "best-square", x: cx - 5.4, y: cy - 5.4, width: 10.8, height: 10.8, rx: 1 }));
      const value = svg("text", { class: `square-value source-${sourceKind(line)}${best}`, x: cx, y: cy - 0.6 });
      value.textContent = shortValue(line);
      const from = svg("text", { class: "square-from", x: cx, y: cy + 3.4 });
      from.textContent = isSolved(line) ? T.source.solved : line.visits > 0 ? short(line.visits) : sourceText(line, this.report.depth).replace("depth ", "d");
      marks.push(value, from);
      const cell = this.app.squares[squareNumber(line.pv[0].toLowerCase())];
      cell.setAttribute("aria-label", `${line.pv[0]}, ${T.legal}, ${shortValue(line)}${deviation(line)}, ${sourceText(line, this.report.depth)}, ${index + 1}.`);
    });
    if (!this.app.preview) {
      this.app.board.mark(...marks);
      this.app.board.under.replaceChildren();
    }
    this.lines.forEach((row, index) => this.fillLine(row, lines[index]));
  }

  fillLine(row, line) {
    const text = line ? line.pv.join("") : "";
    put(row.value, line ? shortValue(line) : "");
    row.value.title = line ? shortValue(line) + deviation(line) : "";
    put(row.from, line ? sourceText(line, this.report.depth) : "");
    row.from.className = `from source-${line ? sourceKind(line) : "none"}`;
    if (row.shown === text) return;
    row.shown = text;
    // Each move of a line shows the position after it; going on shows the game again.
    row.moves.replaceChildren(...(line ? line.pv : []).map((name, index) =>
      button(name.toLowerCase(), () => this.step(line.pv.slice(0, index + 1)), { class: "plain" })));
  }

  step(moves) {
    let at = this.app.game.position;
    for (const name of moves) at = (at && play(at, name.toLowerCase())) || at;
    this.app.preview = at;
    this.app.draw(true);
    this.app.say(moves.join(" "));
  }

  name(text) {
    put(this.opening, this.app.game.title || T.unnamed);
    this.app.link.ask({ do: "book", game: text }, (say) => {
      if (say.say === "book" && this.forPosition === text) put(this.opening, say.view.name || this.app.game.title || T.unnamed);
    });
  }

  // Asks for what each move gave away, as far as it is not known.
  review() {
    const { game } = this.app;
    if (this.reviewAsked && this.reviewOf !== game.text()) this.stopReview();
    if (game.end === 0 || this.reviewAsked || !this.app.link.isOpen || document.hidden) return;
    const text = game.text();
    const from = game.notes.findIndex((note, i) => note.loss === undefined && game.move(i + 1) !== "pa");
    if (from < 0 || this.reviewFailed === text) return;
    this.reviewAsked = this.app.link.ask({ do: "review", game: text, from }, (say) => {
      if (say.say === "reviewed" && game.text() === text) {
        const { number, score, loss, best, best_score: bestScore, depth } = say.review;
        if (game.notes[number - 1]) Object.assign(game.notes[number - 1], { score, loss, best, bestScore, depth });
        this.app.course.show(game);
        this.app.record.show(game);
      }
      if (say.say === "refused") this.reviewFailed = text;
      if (say.say === "review-done" || say.say === "refused") {
        this.reviewAsked = 0;
        game.save();
        if (this.app.place === "study") this.review();
      }
    });
    this.reviewOf = text;
  }

  stopReview() {
    if (this.reviewAsked) {
      this.app.link.forget(this.reviewAsked);
      this.app.link.tell({ do: "stop", what: "review" });
    }
    this.reviewAsked = 0;
  }

}

function rank(report) {
  const solved = report.lines[0] && isSolved(report.lines[0]) ? 1000 : 0;
  return solved + report.depth + report.playouts / 1e9 + (report.lines[0]?.certainty.percent || 0);
}

