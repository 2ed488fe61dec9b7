import { START, boardText, play, readGame, startPosition } from "./rules.js";

// The game that the page shows: its positions, what is known about each move, and which one is on
// the board. It lives here and in the browser's storage, never on the server.

const STORE = "kitai-game";

export class Game {
  constructor() {
    this.reset();
  }

  reset(first = startPosition()) {
    this.positions = [first];
    this.notes = []; // for each move: { seconds, eval, source, loss, best, bestScore, depth }
    this.at = 0;
    this.black = "";
    this.white = "";
    this.resigned = null;
    this.trunk = null;
    this.title = "";
  }

  get position() {
    return this.positions[this.at];
  }

  get end() {
    return this.positions.length - 1;
  }

  get isAtEnd() {
    return this.at === this.end;
  }

  move(number) {
    return this.positions[number].last;
  }

  // The text of the game up to a position.
  text(to = this.end) {
    const first = this.positions[0];
    const moves = this.positions.slice(1, to + 1).map((p) => p.last).join("");
    const isUsual = first.cells.join("") === START && first.turn === "X";
    return isUsual ? moves : `${boardText(first)} ${moves}`.trim();
  }

  // Plays a move where the board is; what followed is forgotten unless it is the same move. Forced
  // passes follow by themselves if asked for.
  play(name, note = {}, passing = true) {
    const after = play(this.position, name);
    if (!after) return false;
    if (!this.isAtEnd && this.move(this.at + 1) === after.last) {
      this.at += 1;
    } else {
      this.positions.length = this.at + 1;
      this.notes.length = this.at;
      this.positions.push(after);
      this.notes.push(note);
      this.at += 1;
      this.resigned = null;
    }
    if (passing && this.position.mustPass) this.play("pa", {}, false);
    return true;
  }

  // As play, but keeps the game that was left, to come back to.
  deviate(name) {
    const leaves = !this.isAtEnd && this.move(this.at + 1) !== name;
    if (leaves && !this.trunk) {
      this.trunk = { positions: [...this.positions], notes: [...this.notes], at: this.at };
    }
    return this.play(name);
  }

  backToTrunk() {
    if (!this.trunk) return;
    Object.assign(this, this.trunk);
    this.trunk = null;
  }

  go(to) {
    this.at = Math.max(0, Math.min(this.end, to));
  }

  // Takes back moves until `stops` says so.
  undo(stops) {
    do {
      if (this.end === 0) break;
      this.positions.pop();
      this.notes.pop();
    } while (this.end > 0 && !stops(this.positions[this.end]));
    this.resigned = null;
    this.at = this.end;
  }

  load(text, about = {}) {
    const positions = readGame(text);
    this.reset();
    this.positions = positions;
    this.notes = positions.slice(1).map((_, i) => ({
      seconds: about.times?.[i] ?? undefined,
      eval: about.evals?.[i] ?? undefined,
      source: about.evals?.[i] === null || about.evals?.[i] === undefined ? undefined : "played",
    }));
    this.black = about.black || "";
    this.white = about.white || "";
    this.title = [about.event, about.date].filter(Boolean).join(", ");
    this.at = this.end;
  }

  save() {
    try {
      const { black, white, resigned, at, title } = this;
      const kept = { text: this.text(), notes: this.notes, black, white, resigned, at, title };
      localStorage.setItem(STORE, JSON.stringify(kept));
    } catch {
      // Without storage the game lives as long as the page.
    }
  }

  restore() {
    try {
      const kept = JSON.parse(localStorage.getItem(STORE));
      if (!kept) return false;
      this.load(kept.text);
      this.notes = this.notes.map((note, i) => kept.notes[i] || note);
      this.black = kept.black;
      this.white = kept.white;
      this.resigned = kept.resigned;
      this.title = kept.title || "";
      this.go(kept.at);
      return true;
    } catch {
      this.reset();
      return false;
    }
  }
}

// The part of the address after #: a place and a game.
export function readFragment() {
  const parts = new URLSearchParams(location.hash.slice(1));
  return { place: parts.get("place"), game: parts.get("game"), at: parts.get("at") };
}

export function fragment(place, game) {
  const parts = new URLSearchParams({ place });
  const text = game.text();
  if (text) parts.set("game", text);
  if (!game.isAtEnd) parts.set("at", game.at);
  return "#" + parts.toString().replaceAll("+", "%20");
}
