import { START, position } from "./rules.js";
import { T } from "./texts.js";
import { button, field, h, option } from "./panel.js";

// Setting up a position by hand: clicks go round from empty to black to white.

const NEXT = { "-": "X", X: "O", O: "-" };

export class Setup {
  constructor(app, done) {
    this.app = app;
    this.done = done;
    this.cells = [...app.shown.cells];
    this.turn = h("select", {}, option("X", T.black), option("O", T.white));
    this.turn.value = app.shown.turn;
    this.turn.addEventListener("change", () => this.show());
    this.element = h("section", { class: "setup" },
      h("h2", { text: T.setupTitle }), h("p", { class: "quiet", text: T.setupHelp }),
      h("div", { class: "row" }, button(T.setupEmpty, () => this.set([..."-".repeat(64)])), button(T.setupStart, () => this.set([...START]))),
      field(T.setupTurn, this.turn),
      h("div", { class: "row" }, button(T.setupDone, () => this.finish(), { class: "main" }), button(T.cancel, () => this.cancel())));
    this.show();
  }

  set(cells) {
    this.cells = cells;
    this.show();
  }

  touch(square) {
    this.cells[square] = NEXT[this.cells[square]];
    this.show();
  }

  show() {
    this.app.preview = { ...position([...this.cells], this.turn.value), moves: [], isOver: false, mustPass: false };
    this.app.draw();
  }

  finish() {
    if (!this.cells.some((cell) => cell !== "-")) {
      this.app.banner(T.setupNoDiscs, 4000);
      return;
    }
    this.app.game.reset(position([...this.cells], this.turn.value));
    this.cancel();
  }

  cancel() {
    this.app.preview = null;
    this.done();
  }
}
