import { squareName } from "./rules.js";

// Draws a board as SVG: 100 units wide, a rim of 5 units with the letters and numbers.

const SVG = "http://www.w3.org/2000/svg";
const RIM = 5;
const CELL = 11.25;

export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export function center(square) {
  return [RIM + CELL * (0.5 + (square % 8)), RIM + CELL * (0.5 + Math.floor(square / 8))];
}

export class Board {
  constructor(name) {
    this.element = document.createElement("div");
    this.element.className = "board";
    this.svg = svg("svg", { viewBox: "0 0 100 100", role: "img", "aria-label": name });
    this.element.append(this.svg);
    this.svg.append(svg("rect", { class: "rim", width: 100, height: 100 }));
    this.svg.append(svg("rect", { class: "field", x: RIM, y: RIM, width: 90, height: 90 }));
    for (let i = 0; i <= 8; i++) {
      const at = RIM + CELL * i;
      this.svg.append(svg("line", { class: "line", x1: at, x2: at, y1: RIM, y2: 95 }));
      this.svg.append(svg("line", { class: "line", x1: RIM, x2: 95, y1: at, y2: at }));
    }
    for (const [x, y] of [[2, 2], [6, 2], [2, 6], [6, 6]]) {
      this.svg.append(svg("circle", { class: "star", cx: RIM + CELL * x, cy: RIM + CELL * y, r: 0.9 }));
    }
    for (let i = 0; i < 8; i++) {
      const at = RIM + CELL * (i + 0.5);
      const letter = svg("text", { class: "label", x: at, y: 2.6 });
      letter.textContent = "abcdefgh"[i];
      const number = svg("text", { class: "label", x: 2.5, y: at });
      number.textContent = i + 1;
      this.svg.append(letter, number);
    }
    this.under = svg("g");
    this.discs = svg("g");
    this.over = svg("g");
    this.svg.append(this.under, this.discs, this.over);
    this.shown = Array(64).fill("-");
    this.nodes = Array(64).fill(null);
  }

  // Shows a position; with `animate`, discs that changed turn over.
  show(position, { animate = false, legal = false } = {}) {
    position.cells.forEach((cell, square) => {
      if (cell === this.shown[square]) {
        if (this.nodes[square]) this.nodes[square].classList.remove("turned", "placed");
        return;
      }
      const before = this.shown[square];
      this.shown[square] = cell;
      if (this.nodes[square]) this.nodes[square].remove();
      this.nodes[square] = null;
      if (cell === "-") return;
      const [cx, cy] = center(square);
      const motion = animate ? (before === "-" ? " placed" : " turned") : "";
      const disc = svg("g", { class: `disc ${cell === "X" ? "black" : "white"}${motion}` });
      disc.append(svg("circle", { cx, cy, r: 4.7 }));
      this.nodes[square] = disc;
      this.discs.append(disc);
    });
    this.under.replaceChildren();
    if (legal) {
      for (const square of position.moves) {
        const [cx, cy] = center(square);
        this.under.append(svg("circle", { class: "legal", cx, cy, r: 1.5 }));
      }
    }
    this.marks = [];
    const last = position.last && position.last !== "pa" ? position.last : null;
    if (last) {
      const [cx, cy] = center("abcdefgh".indexOf(last[0]) + 8 * (last[1] - 1));
      this.marks.push(svg("circle", { class: "last", cx, cy, r: 1.6 }));
    }
    this.over.replaceChildren(...this.marks);
    this.describe(position);
  }

  // A sentence for those who cannot see the board.
  describe(position) {
    const of = (color) => position.cells.flatMap((c, i) => (c === color ? [squareName(i)] : []));
    const side = position.turn === "X" ? "Black" : "White";
    this.svg.setAttribute(
      "aria-label",
      `Board. Black: ${of("X").join(" ")}. White: ${of("O").join(" ")}. ` +
        (position.isOver ? "The game is over." : `${side} to move.`),
    );
  }

  // Draws something above the discs until the next position is shown.
  mark(...elements) {
    this.over.replaceChildren(...this.marks, ...elements);
  }
}
