import { T } from "./texts.js";

// Small helpers to build the page, and the record of moves that every place shows.

export function h(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "text") made.textContent = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

export function button(text, onclick, attributes = {}) {
  return h("button", { type: "button", text, onclick, ...attributes });
}

export function option(value, text, selected = false) {
  return h("option", { value, text, selected });
}

export function field(label, control) {
  return h("label", { class: "field" }, h("span", { text: label }), control);
}

export function discs(value, digits = 1) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  const rounded = Number(value.toFixed(digits));
  if (rounded === 0) return (0).toFixed(digits);
  return (rounded < 0 ? "−" : "+") + Math.abs(rounded).toFixed(digits);
}

// A value as it stands on a square: exact ones are whole.
export function shortValue(line) {
  return isSolved(line) ? discs(line.score, 0) : discs(line.score, 1);
}

// How sure a value is, in discs: " ± 3.2", or nothing for a proven one.
export function deviation(line) {
  return line.score_uncertainty > 0 ? ` ± ${line.score_uncertainty.toFixed(1)}` : "";
}

export function isSolved(line) {
  return line.certainty.kind === "exact";
}

export function sourceKind(line) {
  if (line.source === "book") return "book";
  const kind = line.certainty.kind;
  return kind === "exact" ? "solved" : kind === "estimate" ? "depth" : "selective";
}

export function sourceText(line, depth) {
  const { kind, percent } = line.certainty;
  if (kind === "exact") return T.source.solved;
  if (kind === "probable") return T.source.percent(percent);
  if (line.visits > 0) return short(line.visits);
  return T.source.depth(depth);
}

// The same from the label that reviews use: "12", "24@98%", "100%".
export function sourceOfLabel(label) {
  if (label === undefined || label === null) return ["", ""];
  if (label === "played") return ["played", T.source.played];
  if (label === "book") return ["book", T.source.book];
  if (label.startsWith("100%")) return ["solved", T.source.solved];
  const percent = /@(\d+)%/.exec(label);
  return percent ? ["selective", T.source.percent(percent[1])] : ["depth", T.source.depth(label)];
}

export function short(number) {
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (number >= size) return (number / size).toFixed(number >= 100 * size ? 0 : 1) + " " + unit;
  }
  return String(number);
}

export function seconds(time) {
  if (time === null || time === undefined) return "";
  if (time < 0.0995) return `${Math.round(1000 * time)} ms`;
  return time < 60 ? `${time.toFixed(1)} s` : `${Math.floor(time / 60)}:${String(Math.floor(time % 60)).padStart(2, "0")}`;
}

export function colorName(turn) {
  return turn === "X" ? T.black : T.white;
}

// What a move gave away from which on it is marked, and what counts as losing the game, discs.
const COST_SHOWN = 0.5;

export function isLosing(game, number) {
  const note = game.notes[number - 1];
  if (!note || note.loss === undefined || note.loss < 1) return false;
  const won = (v) => (v > 0.5 ? 1 : v < -0.5 ? -1 : 0);
  return won(note.bestScore) > won(note.score);
}

// The record: one row for each move; kept up without moving what stands already.
export class Record {
  constructor(app) {
    this.app = app;
    this.body = h("tbody");
    this.rows = [];
    this.empty = h("p", { class: "quiet", text: T.noMoves });
    const columns = [["", "number"], [T.moveColumn, "move"], [T.valueColumn, "value"], [T.costColumn, "cost"], [T.timeColumn, "time"], [T.sourceColumn, "from"]];
    this.table = h("table", { class: "record" },
      h("thead", {}, h("tr", {}, columns.map(([text, name]) => h("th", { class: name, scope: "col", text })))),
      this.body);
    this.element = h("section", { class: "record-box", "aria-label": T.record, tabindex: "0" }, this.table, this.empty);
  }

  show(game) {
    this.empty.hidden = game.end > 0;
    while (this.rows.length > game.end) this.rows.pop().row.remove();
    while (this.rows.length < game.end) this.rows.push(this.row(this.rows.length + 1));
    for (let number = 1; number <= game.end; number++) this.fill(number, game);
    const now = this.rows[game.at - 1];
    if (this.shownAt !== game.at) this.reveal(now?.row);
    this.shownAt = game.at;
  }

  // Scrolls the box, never the page, so that the row can be seen.
  reveal(row) {
    const box = this.element;
    if (!row) {
      box.scrollTop = 0;
      return;
    }
    const head = this.table.tHead.offsetHeight;
    const [top, bottom] = [row.offsetTop - head, row.offsetTop + row.offsetHeight - box.clientHeight];
    if (box.scrollTop > top) box.scrollTop = top;
    else if (box.scrollTop < bottom) box.scrollTop = bottom;
  }

  row(number) {
    const cell = (name) => h("td", { class: name });
    const go = button("", () => this.app.go(number), { class: "plain" });
    const cells = { value: cell("value"), cost: cell("cost"), time: cell("time"), from: cell("from") };
    const disc = h("span", { class: "pip", "aria-hidden": "true" });
    const row = h("tr", {}, h("td", { class: "number", text: number }), h("td", { class: "move" }, disc, go), ...Object.values(cells));
    row.addEventListener("click", () => this.app.go(number));
    this.body.append(row);
    return { row, go, disc, ...cells };
  }

  fill(number, game) {
    const { row, go, disc, value, cost, time, from } = this.rows[number - 1];
    const note = game.notes[number - 1] || {};
    const name = game.move(number);
    const color = game.positions[number - 1].turn;
    put(go, name === "pa" ? "pass" : name);
    go.setAttribute("aria-label", `${number}. ${colorName(color)} ${name}`);
    disc.className = `pip ${color === "X" ? "black" : "white"}`;
    put(value, discs(note.score ?? note.eval));
    const lost = note.loss !== undefined && note.loss >= COST_SHOWN;
    put(cost, lost ? `−${note.loss.toFixed(1)}` : "");
    cost.classList.toggle("bad", lost && note.loss >= 2);
    cost.title = lost ? T.cost(note.loss.toFixed(1)) : "";
    put(time, seconds(note.seconds));
    const [kind, text] = sourceOfLabel(note.depth ?? note.source);
    put(from, text);
    from.className = `from source-${kind || "none"}`;
    row.classList.toggle("now", number === game.at);
    row.classList.toggle("losing", isLosing(game, number));
    if (number === game.at) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}

// Sets a text only if it differs, so that nothing is drawn anew for nothing.
export function put(element, text) {
  if (element.textContent !== String(text)) element.textContent = text;
}

// A dialog that closes with Escape.
export function dialog(title, ...content) {
  const made = h("dialog", { "aria-label": title }, h("h2", { text: title }), ...content);
  made.append(h("div", { class: "row end" }, button(T.cancel, () => made.close())));
  made.addEventListener("close", () => made.remove());
  document.body.append(made);
  made.showModal();
  return made;
}
