import { svg } from "./board.js";
import { T } from "./texts.js";
import { discs, h, put, short } from "./panel.js";

// What lies behind a value, drawn: normals above the leaves, visits, expected replies, or simply the
// values of all moves.

const WIDTH = 300;
const HEIGHT = 110;
const MOST = 8; // bars and curves shown

export class Distribution {
  constructor() {
    this.title = h("p", { class: "quiet" });
    this.svg = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
    this.notes = h("p", { class: "figures" });
    this.element = h("div", { class: "distribution" }, this.title, this.svg, this.notes);
  }

  show(report, behind) {
    if (behind?.kind === "normals") this.normals(behind);
    else if (behind?.kind === "replies") this.bars(T.replies, behind.replies.map((r) => [r.move, r.probability, `${(100 * r.probability).toFixed(0)} %`]), 1);
    else if (report && report.lines.some((line) => line.visits > 0)) {
      const all = report.lines.filter((line) => line.visits > 0).sort((a, b) => b.visits - a.visits);
      this.bars(T.visits, all.map((line) => [line.pv[0], line.visits, short(line.visits)]), Math.max(1, all[0].visits));
    } else if (report) this.values(report);
    else this.clear();
  }

  clear() {
    put(this.title, "");
    put(this.notes, "");
    this.svg.replaceChildren();
    this.svg.setAttribute("aria-label", T.behind);
  }

  finish(title, parts, notes = "") {
    put(this.title, title);
    put(this.notes, notes);
    this.svg.replaceChildren(...parts);
    this.svg.setAttribute("aria-label", `${title} ${notes}`);
  }

  bars(title, rows, most) {
    const shown = rows.slice(0, MOST);
    const step = HEIGHT / Math.max(5, shown.length);
    const parts = shown.flatMap(([name, value, text], i) => {
      const y = step * i;
      const label = svg("text", { class: "bar-name", x: 0, y: y + step / 2 });
      label.textContent = name.toLowerCase();
      const figure = svg("text", { class: "bar-figure", x: WIDTH, y: y + step / 2 });
      figure.textContent = text;
      const width = Math.max(1, ((WIDTH - 90) * value) / most);
      return [label, svg("rect", { class: i === 0 ? "bar first" : "bar", x: 26, y: y + step * 0.2, width, height: step * 0.6, rx: 1.5 }), figure];
    });
    this.finish(title, parts);
  }

  values(report) {
    const shown = report.lines.slice(0, MOST);
    const most = Math.max(4, ...shown.map((line) => Math.abs(line.score)));
    const step = HEIGHT / Math.max(5, shown.length);
    const middle = 26 + (WIDTH - 80) / 2;
    const parts = [svg("line", { class: "zero", x1: middle, x2: middle, y1: 0, y2: HEIGHT })];
    shown.forEach((line, i) => {
      const y = step * i;
      const width = Math.max(0.7, ((WIDTH - 80) / 2) * (Math.abs(line.score) / most));
      const label = svg("text", { class: "bar-name", x: 0, y: y + step / 2 });
      label.textContent = line.pv[0].toLowerCase();
      const figure = svg("text", { class: "bar-figure", x: WIDTH, y: y + step / 2 });
      figure.textContent = (line.bound === "upper" ? "≤ " : "") + discs(line.score, 2);
      parts.push(label, figure, svg("rect", { class: i === 0 ? "bar first" : "bar", x: line.score < 0 ? middle - width : middle, y: y + step * 0.2, width, height: step * 0.6, rx: 1 }));
    });
    this.finish(T.values, parts);
  }

  normals({ is_own: isOwn, sigma, leaves, expectation, best_mean: best }) {
    const sure = Math.max(sigma, 0.4);
    const low = Math.min(...leaves.map((l) => l.mean)) - 2.2 * sure;
    const high = Math.max(best, expectation) + 2.6 * sure;
    const x = (v) => ((v - low) / (high - low)) * WIDTH;
    const base = HEIGHT - 16;
    const parts = [svg("line", { class: "zero", x1: 0, x2: WIDTH, y1: base, y2: base })];
    leaves.slice(0, 12).forEach((leaf, i) => {
      if (leaf.is_certain || sigma === 0) {
        parts.push(svg("line", { class: i === 0 ? "normal first" : "normal", x1: x(leaf.mean), x2: x(leaf.mean), y1: base, y2: 22 }));
        return;
      }
      const points = [];
      for (let k = -30; k <= 30; k++) {
        const z = k / 10;
        const px = x(leaf.mean + z * sigma);
        if (px >= 0 && px <= WIDTH) points.push(`${px.toFixed(1)},${(base - (base - 24) * Math.exp(-z * z / 2)).toFixed(1)}`);
      }
      parts.push(svg("polyline", { class: i === 0 ? "normal first" : "normal", points: points.join(" ") }));
    });
    const mark = (v, name, text, y) => {
      const label = svg("text", { class: `mark-label ${name}`, x: Math.max(22, Math.min(WIDTH - 22, x(v))), y });
      label.textContent = text;
      parts.push(svg("line", { class: `mark ${name}`, x1: x(v), x2: x(v), y1: 18, y2: base }), label);
    };
    const close = Math.abs(x(best) - x(expectation)) < 70;
    mark(best, "max", `max ${discs(best, 2)}`, close ? HEIGHT - 4 : 10);
    mark(expectation, "mean", `E ${discs(expectation, 2)}`, 10);
    this.finish(T.normals(leaves.length, isOwn ? T.us : T.them), parts, `${T.normalsSigma(sigma.toFixed(2))} · ${T.normalsMax(discs(best, 2))} · ${T.normalsE(discs(expectation, 2))}`);
  }
}
