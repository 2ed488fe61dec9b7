import { svg } from "./board.js";
import { T } from "./texts.js";
import { button, h, isLosing, sourceOfLabel } from "./panel.js";

// Under the board: the scrubber with the losing moves marked, and the course of the game, whose
// points are coloured by where their value came from.

const WIDTH = 600;
const HEIGHT = 120;

export class Course {
  constructor(app) {
    this.app = app;
    const go = (text, name, to) => button(text, () => app.go(to()), { "aria-label": name, class: "step" });
    this.slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": T.scrubber, oninput: () => app.go(Number(this.slider.value)) });
    this.marks = h("div", { class: "marks", "aria-hidden": "true" });
    this.bar = h("div", { class: "scrubber" },
      go("«", T.first, () => 0), go("‹", T.previous, () => app.game.at - 1),
      h("div", { class: "track" }, this.slider, this.marks),
      go("›", T.next, () => app.game.at + 1), go("»", T.last, () => app.game.end));
    this.svg = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": T.graph });
    this.dots = h("div", { class: "dots", "aria-hidden": "true" });
    this.hint = h("p", { class: "quiet graph-hint", text: T.graphHint });
    this.graph = h("div", { class: "graph" }, this.svg, this.dots, this.hint);
    this.graph.addEventListener("click", (event) => {
      const box = this.graph.getBoundingClientRect();
      app.go(Math.round(((event.clientX - box.left) / box.width) * this.length));
    });
    this.legend = h("div", { class: "legend" }, ["book", "solved", "selective", "depth", "played"].map((kind) =>
      h("span", { class: `source-${kind}` }, h("i"), T.sources[kind])));
    this.element = h("div", { class: "course" }, this.bar, this.graph, this.legend);
  }

  get length() {
    return Math.max(60, this.app.game.end);
  }

  show(game) {
    this.slider.max = game.end;
    this.slider.value = game.at;
    this.slider.setAttribute("aria-valuetext", game.at === 0 ? "start" : `${game.at}. ${game.move(game.at)}`);
    const losing = [];
    for (let number = 1; number <= game.end; number++) if (isLosing(game, number)) losing.push(number);
    this.marks.replaceChildren(...losing.map((number) => {
      const mark = h("i");
      mark.style.left = `${(100 * number) / Math.max(1, game.end)}%`;
      return mark;
    }));
    this.draw(game, losing);
  }

  draw(game, losing) {
    const points = [];
    game.notes.forEach((note, index) => {
      const value = note.score ?? note.eval;
      if (value === undefined || value === null) return;
      const black = game.positions[index].turn === "X" ? value : -value;
      points.push({ number: index + 1, value: black, kind: sourceOfLabel(note.depth ?? note.source)[0] || "played" });
    });
    this.hint.hidden = points.length > 0;
    const most = Math.max(8, ...points.map((p) => Math.abs(p.value)));
    const x = (number) => (WIDTH * number) / this.length;
    const y = (value) => HEIGHT / 2 - (value / most) * (HEIGHT / 2 - 8);
    const line = points.map((p) => `${x(p.number).toFixed(1)},${y(p.value).toFixed(1)}`).join(" ");
    const zero = svg("line", { class: "zero", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, "vector-effect": "non-scaling-stroke" });
    const now = svg("line", { class: "now", x1: x(game.at), x2: x(game.at), y1: 0, y2: HEIGHT, "vector-effect": "non-scaling-stroke" });
    const children = [svg("rect", { class: "upper", width: WIDTH, height: HEIGHT / 2 }), zero, now];
    if (points.length > 1) children.push(svg("polyline", { class: "curve", points: line, "vector-effect": "non-scaling-stroke" }));
    this.svg.replaceChildren(...children);
    this.dots.replaceChildren(...points.map((p) => {
      const dot = h("i", { class: `source-${p.kind}${losing.includes(p.number) ? " losing" : ""}` });
      dot.style.left = `${(100 * x(p.number)) / WIDTH}%`;
      dot.style.top = `${(100 * y(p.value)) / HEIGHT}%`;
      return dot;
    }));
  }
}
