import { T } from "./texts.js";
import { button, discs, h, put, short } from "./panel.js";

// The book: what it knows of the position on the board, and the name of the opening.

export class Openings {
  constructor(app) {
    this.app = app;
    this.name = h("p", { class: "opening", text: T.unnamed });
    this.body = h("tbody");
    this.note = h("p", { class: "message" });
    this.table = h("table", { class: "book", hidden: true },
      h("thead", {}, h("tr", {}, [T.bookMove, T.bookValue, T.bookGames, T.bookName].map((text) => h("th", { scope: "col", text })))), this.body);
  }

  panel() {
    return [h("h1", { text: T.bookTitle }), this.name, this.note, this.table, this.app.record.element];
  }

  enter() {
    this.forPosition = null;
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
    const { game } = this.app;
    const text = game.text(game.at);
    if (this.forPosition === text || !this.app.link.isOpen) return;
    this.forPosition = text;
    this.app.link.ask({ do: "book", game: text }, (say) => {
      if (say.say !== "book" || this.forPosition !== text) return;
      const { name, moves } = say.view;
      put(this.name, name || T.unnamed);
      put(this.note, !this.app.hello.book ? T.noBook : moves.length > 0 ? "" : T.noBookMoves);
      this.table.hidden = moves.length === 0;
      this.body.replaceChildren(...moves.map((one) => h("tr", {},
        h("td", {}, button(one.move, () => this.play(one.move), { class: "plain" })), h("td", { class: "value", text: one.value === null ? "" : discs(one.value, 2) }),
        h("td", { text: one.games === null ? "" : short(one.games) }), h("td", { class: "left", text: one.name || "" }))));
    });
  }
}
