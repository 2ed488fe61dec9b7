import { squareNumber } from "./rules.js";
import { center, svg } from "./board.js";
import { T } from "./texts.js";
import { button, discs, h, option, put, seconds, short, sourceText } from "./panel.js";
import { Distribution } from "./distribution.js";

// Where the ideas disagree: some methods side by side on the same position.

const MOST = 5;
const FIRST = [
  { method: "minimax", set: { depth: 8 } },
  { method: "expectation", set: { depth: 4 } },
  { method: "mcts", set: { playouts: 2000 } },
];
// How far sliders go, where the option itself would allow far more, and in which steps.
const REACH = {
  depth: [1, 14, 1], playouts: [1, 5, 0.1], sigma: [-0.5, 20, 0.5], "mean-power": [1, 64, 1], "odds-scale": [1, 32, 1],
  "best-own": [1, 6, 1], "best-opponent": [1, 6, 1], "opponent-depth": [1, 6, 1], "opponent-softness": [0, 12, 0.5],
  risk: [0, 16, 0.5], "shared-candidates": [1, 12, 1], "look-ahead": [0, 6, 1],
};
// The depth a method begins with: those without pruning are slow.
const BEGIN = { minimax: 8, shared: 8, om: 4, mixed: 4, "generalized-mean": 3, "m-and-n": 3, product: 3, average: 3 };

export class Compare {
  constructor(app) {
    this.app = app;
    this.columns = [];
    this.list = h("div", { class: "columns" });
    this.verdict = h("p", { class: "message", role: "status" });
    this.add = button(T.addMethod, () => this.addColumn({ method: "expected-value", set: { depth: 4 } }));
    this.gallery = h("div", { class: "gallery" });
  }

  panel() {
    return [h("h1", { text: T.compareTitle }), this.verdict, this.list, h("div", { class: "row" }, this.add), this.gallery];
  }

  hello(hello) {
    this.methods = hello.methods;
    this.sliders = Object.fromEntries(hello.sliders.map((slider) => [slider.name, slider]));
    if (this.columns.length === 0) {
      const kept = this.app.settings.compare || FIRST;
      for (const one of kept) if (hello.methods.some((m) => m.name === one.method)) this.addColumn(one, false);
    }
    this.drawGallery(hello.gallery);
  }

  drawGallery(items) {
    if (items.length === 0) return;
    this.gallery.replaceChildren(h("h2", { text: T.gallery }), h("p", { class: "quiet", text: T.galleryIntro }),
      ...items.map((item, i) => {
        const answers = item.answers.map((answer) => {
          const right = answer.truth === item.best;
          return h("span", { class: right ? "right" : "wrong", text: `${right ? "✓" : "✗"} ${answer.set.method} ${answer.move} ${discs(answer.truth, 0)}`, title: T.truth(answer.move, discs(answer.truth, 0)) });
        });
        return h("div", { class: "gallery-item" }, button(T.galleryItem(i + 1, discs(item.best, 0)), () => this.open(item), { class: "plain" }), h("div", { class: "answers" }, answers));
      }));
  }

  open(item) {
    this.app.game.load(item.board);
    while (this.columns.length > 0) this.drop(this.columns[0], false);
    for (const { set } of item.answers) {
      const { method, ...rest } = set;
      this.addColumn({ method, set: rest }, false);
    }
    this.app.changed();
    document.getElementById("board-box").scrollIntoView({ block: "nearest" });
  }

  addColumn({ method, set }, ask = true) {
    if (this.columns.length >= MOST) return;
    const place = [0, 1, 2, 3, 4].find((n) => !this.columns.some((column) => column.place === n));
    const column = { place, method, set: { ...set }, asked: 0, report: null, behind: null };
    const select = h("select", { "aria-label": T.column(place + 1), onchange: () => this.change(column, select.value) },
      this.methods.map((m) => option(m.name, m.name, m.name === method)));
    column.remove = button("×", () => this.drop(column), { class: "plain close", "aria-label": T.removeMethod(method) });
    column.parts = { move: h("b", { class: "choice-move" }), value: h("span", { class: "value" }), from: h("span", { class: "from" }), line: h("p", { class: "pv" }), cost: h("p", { class: "quiet" }), sliders: h("div", { class: "sliders" }), command: h("code") };
    column.drawing = new Distribution();
    column.element = h("article", { class: `column method-${place}`, "aria-label": method },
      h("header", {}, h("i", { class: "key", "aria-hidden": "true", text: place + 1 }), select, column.remove),
      h("div", { class: "answer" }, column.parts.move, column.parts.value, column.parts.from),
      column.parts.line, column.parts.cost, column.parts.sliders, column.drawing.element,
      h("details", {}, h("summary", { text: T.commandLabel }), column.parts.command));
    this.columns.push(column);
    this.columns.sort((a, b) => a.place - b.place);
    this.list.replaceChildren(...this.columns.map((one) => one.element));
    this.buildSliders(column);
    this.add.disabled = this.columns.length >= MOST;
    if (ask) {
      this.keep();
      this.ask(column);
    }
  }

  drop(column, draw = true) {
    this.columns = this.columns.filter((other) => other !== column);
    column.element.remove();
    if (column.asked) this.app.link.forget(column.asked);
    this.add.disabled = false;
    if (draw) {
      this.keep();
      this.draw();
    }
  }

  keep() {
    this.app.set("compare", this.columns.map(({ method, set }) => ({ method, set })));
  }

  change(column, method) {
    const { sliders, plays_out: playsOut } = this.methods.find((m) => m.name === method);
    column.method = method;
    column.element.setAttribute("aria-label", method);
    column.remove.setAttribute("aria-label", T.removeMethod(method));
    column.set = playsOut ? { playouts: 2000 } : sliders.includes("depth") ? { depth: BEGIN[method] || 4 } : {};
    this.buildSliders(column);
    this.keep();
    this.ask(column);
  }

  buildSliders(column) {
    const { sliders, plays_out: playsOut } = this.methods.find((m) => m.name === column.method);
    const shown = sliders.filter((name) => !(playsOut && name === "depth") && this.sliders[name]);
    column.parts.sliders.replaceChildren(...shown.map((name) => {
      const [min, max, step] = REACH[name] || [this.sliders[name].min, this.sliders[name].max, 1];
      const now = column.set[name] ?? this.sliders[name].default;
      const isLog = name === "playouts";
      const place = isLog ? Math.log10(Math.max(10, Number(now))) : name === "sigma" && Number(now) < 0 ? min : Number(now);
      const figure = h("output", { text: this.figure(name, now) });
      const slider = h("input", { type: "range", min, max, step, value: place, "aria-label": T.sliders[name] || name, title: this.sliders[name].help });
      slider.addEventListener("input", () => {
        let value = Number(slider.value);
        if (isLog) value = Math.round(10 ** value);
        if (name === "sigma" && value < 0) value = -1;
        column.set[name] = value;
        put(figure, this.figure(name, value));
        clearTimeout(column.timer);
        column.timer = setTimeout(() => { this.keep(); this.ask(column); }, 40);
      });
      return h("label", {}, h("span", { text: T.sliders[name] || name }), slider, figure);
    }));
  }

  figure(name, value) {
    if (name === "sigma" && Number(value) < 0) return T.fromTable;
    return name === "playouts" ? short(Number(value)) : String(value);
  }

  enter() {
    this.forPosition = null;
  }

  leave() {
    this.app.link.tell({ do: "stop", what: "compare" });
    for (const column of this.columns) this.app.link.forget(column.asked);
  }

  back() {
    this.forPosition = null;
    this.show();
  }

  play(name) {
    this.app.game.deviate(name);
    this.app.click();
    this.app.changed({ animate: true });
  }

  show() {
    const text = this.app.game.text(this.app.game.at);
    if (this.forPosition !== text && this.app.link.isOpen) {
      this.forPosition = text;
      for (const column of this.columns) this.ask(column);
    }
    this.draw();
  }

  ask(column) {
    if (column.asked) this.app.link.forget(column.asked);
    const { game } = this.app;
    const text = game.text(game.at);
    if (game.position.isOver || !this.app.link.isOpen) {
      Object.assign(column, { report: null, behind: null });
      this.draw();
      return;
    }
    column.behind = null;
    column.element.classList.add("busy");
    const set = Object.fromEntries(Object.entries({ method: column.method, ...column.set }).map(([k, v]) => [k, String(v)]));
    const asked = this.app.link.ask({ do: "compare", column: column.place, game: text, set }, (say) => {
      if (column.asked !== asked) return;
      if (say.say === "command") put(column.parts.command, say.command);
      if (say.say === "behind") column.behind = say.behind;
      if (say.say === "refused") this.app.banner(say.reason, 8000);
      if (say.say === "progress" || say.say === "done") column.report = say.report;
      column.element.classList.toggle("busy", !["done", "refused"].includes(say.say));
      if (say.say !== "tick" && say.say !== "command" && this.app.place === "compare") this.draw(say.say === "done");
    });
    column.asked = asked;
  }

  draw() {
    const moves = new Map();
    const marks = [];
    for (const column of this.columns) {
      const line = column.report?.lines[0];
      const { parts } = column;
      const name = line?.pv[0]?.toLowerCase() || "";
      put(parts.move, name || "–");
      put(parts.value, line ? discs(line.score, 2) : "");
      put(parts.from, line ? sourceText({ ...line, visits: 0 }, column.report.depth) : "");
      put(parts.line, line ? line.pv.map((m) => m.toLowerCase()).join(" ") : "");
      put(parts.cost, column.report ? T.cost1(short(column.report.nodes), column.report.playouts, seconds(column.report.seconds)) : "");
      column.drawing.show(column.report, column.element.classList.contains("busy") ? null : column.behind);
      if (!name || name === "pa") continue;
      const here = moves.get(name) || [];
      moves.set(name, [...here, column]);
      marks.push(...this.arrow(line, column.place, here.length));
    }
    this.app.board.mark(...marks);
    put(this.verdict, moves.size === 0 ? "" : moves.size === 1 ? T.agree([...moves.keys()][0]) : T.disagree(moves.size));
  }

  // A ring on the move, and an arrow from it to the reply that the method expects.
  arrow(line, place, nth) {
    const [cx, cy] = center(squareNumber(line.pv[0].toLowerCase()));
    const parts = [svg("circle", { class: `ring method-${place}`, cx, cy, r: 4.9 - 1.05 * nth })];
    const tag = svg("text", { class: `ring-tag method-${place}`, x: cx - 4.4 + 2.2 * nth, y: cy - 4.5 });
    tag.textContent = place + 1;
    const reply = line.pv[1]?.toLowerCase();
    if (reply && reply !== "pa") {
      const [tx, ty] = center(squareNumber(reply));
      const length = Math.hypot(tx - cx, ty - cy);
      const [dx, dy] = [(tx - cx) / length, (ty - cy) / length];
      const side = 0.7 * (nth - 0.5 + place / 3);
      const [ox, oy] = [-dy * side, dx * side];
      const [sx, sy, ex, ey] = [cx + 5 * dx + ox, cy + 5 * dy + oy, tx - 2.2 * dx + ox, ty - 2.2 * dy + oy];
      parts.push(svg("line", { class: `arrow method-${place}`, x1: sx, y1: sy, x2: ex, y2: ey }));
      parts.push(svg("polygon", { class: `head method-${place}`, points: `${ex + 1.9 * dx},${ey + 1.9 * dy} ${ex - 1.1 * dy},${ey + 1.1 * dx} ${ex + 1.1 * dy},${ey - 1.1 * dx}` }));
    }
    return [...parts, tag];
  }
}
