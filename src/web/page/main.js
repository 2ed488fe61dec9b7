import { Board, center, svg } from "./board.js";
import { count, finalScore, squareName } from "./rules.js";
import { T } from "./texts.js";
import { Link } from "./link.js";
import { Game, fragment, readFragment } from "./game.js";
import { Record, button, colorName, h, put } from "./panel.js";
import { Course } from "./graph.js";
import { Play } from "./play.js";
import { Study } from "./study.js";
import { Compare } from "./compare.js";
import { Openings } from "./openings.js";
import { Watch } from "./watch.js";

// The page as a whole: the game, the board, the places, the connection.

const PLACES = { play: Play, study: Study, compare: Compare, book: Openings, watch: Watch };
const ICONS = {
  play: "M8 5v14l11-7z", study: "M4 19h16M5 15l4-5 4 3 6-8", compare: "M6 4v16M18 4v16M6 8h7M18 14h-7",
  book: "M5 4h6v16H5zM13 4h6v16h-6z", watch: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
};
const $ = (id) => document.getElementById(id);

function logo() {
  const drawing = svg("svg", { viewBox: "0 0 32 24", "aria-hidden": "true", class: "logo" });
  drawing.append(svg("circle", { cx: 11, cy: 12, r: 9, class: "one" }), svg("circle", { cx: 21, cy: 12, r: 9, class: "two" }));
  return drawing;
}

class App {
  constructor() {
    this.game = new Game();
    this.settings = this.loadSettings();
    this.hello = null;
    this.place = null;
    this.preview = null; // a position shown instead of the game's
    this.build();
    const from = readFragment();
    if (!this.takeFragment(from)) this.game.restore();
    this.link = new Link({
      onHello: (hello) => this.onHello(hello),
      onLost: () => this.banner(this.hello ? T.lost : T.connecting),
      onBusy: (tabs) => this.banner(T.busy(tabs)),
    });
    this.views = Object.fromEntries(Object.entries(PLACES).map(([name, View]) => [name, new View(this)]));
    this.enter(PLACES[from.place] ? from.place : "play");
    addEventListener("hashchange", () => {
      const to = readFragment();
      if (this.takeFragment(to)) this.changed();
      if (PLACES[to.place] && to.place !== this.place) this.enter(to.place);
    });
    addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("visibilitychange", () => this.views[this.place].visible?.(!document.hidden));
  }

  takeFragment({ game, at }) {
    if (game === null || game === this.game.text()) return false;
    try {
      this.game.load(game);
      if (at !== null) this.game.go(Number(at));
      return true;
    } catch (error) {
      this.banner(error.message, 6000);
      return false;
    }
  }

  build() {
    $("skip").textContent = T.skip;
    const icon = (name) => {
      const drawing = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
      drawing.append(svg("path", { d: ICONS[name] }));
      return drawing;
    };
    this.tabs = {};
    const list = h("div", { class: "list" });
    for (const name of Object.keys(PLACES)) {
      this.tabs[name] = h("button", { type: "button", onclick: () => this.enter(name) }, icon(name), h("span", { text: T.places[name] }));
      list.append(this.tabs[name]);
    }
    this.soundButton = button("", () => this.toggleSound(), { class: "tool" });
    this.themeButton = button("◐", () => this.toggleTheme(), { class: "tool", "aria-label": T.theme, title: T.theme });
    const tools = h("div", { class: "tools" }, this.soundButton, this.themeButton);
    $("places").setAttribute("aria-label", T.placesLabel);
    $("places").append(h("div", { class: "name", "aria-hidden": "true" }, logo(), h("b", { text: "Kitai" })), list, tools);
    this.applyTheme();
    this.applySound();
    this.board = new Board(T.board);
    this.buildSquares();
    $("board-box").append(this.board.element);
    this.strips = { top: this.strip($("top-strip")), bottom: this.strip($("bottom-strip")) };
    this.course = new Course(this);
    $("under").append(this.course.element);
    this.record = new Record(this);
  }

  strip(element) {
    const parts = { pip: h("i", { class: "pip" }), who: h("b"), note: h("span", { class: "note" }), discs: h("span", { class: "discs" }), clock: h("span", { class: "clock" }) };
    element.append(parts.pip, parts.who, parts.note, parts.clock, parts.discs);
    return { element, ...parts };
  }

  // Sixty-four buttons over the board: for the keyboard, for screen readers, for the mouse.
  buildSquares() {
    const grid = h("div", { class: "squares", role: "grid", "aria-label": T.board });
    this.squares = [];
    for (let row = 0; row < 8; row++) {
      const line = h("div", { role: "row" });
      for (let column = 0; column < 8; column++) {
        const square = 8 * row + column;
        const cell = h("button", { type: "button", role: "gridcell", tabindex: square === 0 ? 0 : -1, "data-square": squareName(square), "aria-label": squareName(square) });
        cell.addEventListener("keydown", (event) => this.boardKey(event, square));
        cell.addEventListener("focus", () => {
          this.squares.forEach((other) => { other.tabIndex = other === cell ? 0 : -1; });
        });
        cell.addEventListener("click", (event) => {
          // The pointer has been dealt with already; this is the keyboard or a screen reader.
          if (event.detail === 0) this.touch(square);
        });
        this.squares.push(cell);
        line.append(cell);
      }
      grid.append(line);
    }
    this.board.element.append(grid);
    this.ghost = svg("circle", { class: "ghost", r: 4.7 });
    const at = (event) => {
      const box = grid.getBoundingClientRect();
      const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
      return x < 0 || y < 0 || x >= 1 || y >= 1 ? -1 : 8 * Math.floor(8 * y) + Math.floor(8 * x);
    };
    const follow = (event) => {
      const square = at(event);
      this.ghost.remove();
      if (square < 0 || !this.mayPlay(square)) return;
      const [cx, cy] = center(square);
      this.ghost.setAttribute("cx", cx);
      this.ghost.setAttribute("cy", cy);
      this.ghost.setAttribute("class", `ghost ${this.shown.turn === "X" ? "black" : "white"}`);
      this.board.over.append(this.ghost);
    };
    // Press, drag and let go: the disc goes where it is let go.
    grid.addEventListener("pointerdown", (event) => {
      this.dragging = true;
      try { grid.setPointerCapture(event.pointerId); } catch { /* a pointer that has gone */ }
      follow(event);
    });
    grid.addEventListener("pointermove", (event) => { if (this.dragging || event.pointerType === "mouse") follow(event); });
    grid.addEventListener("pointerleave", () => this.ghost.remove());
    grid.addEventListener("pointercancel", () => { this.dragging = false; this.ghost.remove(); });
    grid.addEventListener("pointerup", (event) => {
      if (!this.dragging) return;
      this.dragging = false;
      this.ghost.remove();
      const square = at(event);
      if (square >= 0) this.touch(square);
    });
  }

  boardKey(event, square) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 };
    const step = steps[event.key];
    if (!step || event.altKey || event.ctrlKey) return;
    const to = square + step;
    const wraps = Math.abs(step) === 1 && Math.floor(to / 8) !== Math.floor(square / 8);
    if (to >= 0 && to < 64 && !wraps) this.squares[to].focus();
    event.preventDefault();
    event.stopPropagation();
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || document.querySelector("dialog[open]")) return;
    const go = { ArrowLeft: this.game.at - 1, ArrowRight: this.game.at + 1, Home: 0, End: this.game.end }[event.key];
    if (go !== undefined) {
      this.go(go);
      event.preventDefault();
      return;
    }
    const place = Object.keys(PLACES)[Number(event.key) - 1];
    if (place) this.enter(place);
    else this.views[this.place].key?.(event);
  }

  get shown() {
    return this.preview || this.game.position;
  }

  mayPlay(square) {
    return this.shown.moves.includes(square) && (this.views[this.place].mayPlay?.() ?? true);
  }

  touch(square) {
    if (this.views[this.place].touch?.(square)) return;
    if (this.mayPlay(square)) this.views[this.place].play(squareName(square));
  }

  enter(place) {
    if (this.place) this.views[this.place].leave?.();
    this.place = place;
    this.preview = null;
    for (const [name, tab] of Object.entries(this.tabs)) {
      if (name === place) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    document.body.dataset.place = place;
    document.title = `${T.places[place]} – Kitai`;
    const view = this.views[place];
    const isWide = Boolean(view.wide);
    $("wide").hidden = !isWide;
    $("stage").hidden = isWide;
    $("panel").hidden = isWide;
    if (isWide) $("wide").replaceChildren(view.wide);
    else $("panel").replaceChildren(...view.panel());
    // The record has moved to another panel: it shows its row again.
    this.record.shownAt = null;
    view.enter?.();
    this.changed();
  }

  // The game or what is shown of it has changed: everything that shows it follows.
  changed({ animate = false } = {}) {
    this.game.save();
    const address = fragment(this.place, this.game);
    if (location.hash !== address) history.replaceState(null, "", address);
    this.draw(animate);
    this.views[this.place].show?.();
  }

  draw(animate = false) {
    const view = this.views[this.place];
    const at = this.shown;
    this.board.show(at, { animate, legal: !at.isOver && (view.mayPlay?.() ?? true) });
    this.squares.forEach((cell, square) => {
      const disc = { X: T.black, O: T.white, "-": T.empty }[at.cells[square]];
      const legal = at.moves.includes(square);
      cell.setAttribute("aria-label", `${squareName(square)}, ${disc}${legal ? ", " + T.legal : ""}`);
      cell.classList.toggle("open", legal && this.mayPlay(square));
    });
    this.course.show(this.game);
    this.record.show(this.game);
    this.drawStrips(at);
  }

  drawStrips(at) {
    const upper = this.views.play.human === "O" ? "X" : "O";
    for (const [strip, color] of [[this.strips.top, upper], [this.strips.bottom, upper === "X" ? "O" : "X"]]) {
      strip.pip.className = `pip ${color === "X" ? "black" : "white"}`;
      put(strip.who, (color === "X" ? this.game.black : this.game.white) || colorName(color));
      put(strip.discs, count(at.cells, color));
      strip.element.classList.toggle("turn", !at.isOver && at.turn === color);
      put(strip.note, at.isOver ? "" : at.turn === color ? this.views[this.place].turnNote?.(color) || "" : "");
      put(strip.clock, this.place === "play" ? this.views.play.clockText(color) : "");
    }
  }

  go(to) {
    const before = this.game.at;
    this.preview = null;
    this.game.go(to);
    if (this.game.at !== before || to === before) this.changed({ animate: this.game.at === before + 1 });
  }

  result(at = this.game.position) {
    if (this.game.resigned && this.game.isAtEnd) return T.resigned(colorName(this.game.resigned));
    if (!at.isOver) return "";
    const [black, white] = [count(at.cells, "X"), count(at.cells, "O")];
    const score = finalScore(at.cells);
    if (score === 0) return T.draw(black, white);
    return T.wins(score > 0 ? T.black : T.white, black, white);
  }

  say(text) {
    put($("say"), text);
  }

  banner(text, forMs = 0) {
    const banner = $("banner");
    put(banner, text);
    banner.classList.toggle("shown", text !== "");
    clearTimeout(this.bannerTimer);
    if (forMs > 0) this.bannerTimer = setTimeout(() => this.banner(""), forMs);
  }

  onHello(hello) {
    this.hello = hello;
    this.banner("");
    for (const view of Object.values(this.views)) view.hello?.(hello);
    this.views[this.place].back?.();
    this.draw();
  }

  loadSettings() {
    const usual = { theme: "auto", sound: false };
    try {
      return { ...usual, ...JSON.parse(localStorage.getItem("kitai-settings")) };
    } catch {
      return usual;
    }
  }

  set(name, value) {
    this.settings[name] = value;
    try {
      localStorage.setItem("kitai-settings", JSON.stringify(this.settings));
    } catch {
      // Then they last as long as the page.
    }
  }

  toggleTheme() {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const shown = this.settings.theme === "auto" ? (dark ? "dark" : "light") : this.settings.theme;
    this.set("theme", shown === "dark" ? "light" : "dark");
    this.applyTheme();
  }

  applyTheme() {
    if (this.settings.theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.settings.theme;
  }

  toggleSound() {
    this.set("sound", !this.settings.sound);
    this.applySound();
    this.click();
  }

  applySound() {
    put(this.soundButton, this.settings.sound ? "♪" : "♪̸");
    const name = this.settings.sound ? T.soundOff : T.soundOn;
    this.soundButton.setAttribute("aria-label", name);
    this.soundButton.title = name;
  }

  // The sound of a disc.
  click() {
    if (!this.settings.sound) return;
    try {
      this.audio ||= new AudioContext();
      const [tone, level] = [this.audio.createOscillator(), this.audio.createGain()];
      const now = this.audio.currentTime;
      tone.type = "triangle";
      tone.frequency.setValueAtTime(420, now);
      tone.frequency.exponentialRampToValueAtTime(140, now + 0.06);
      level.gain.setValueAtTime(0.25, now);
      level.gain.exponentialRampToValueAtTime(0.001, now + 0.09);
      tone.connect(level).connect(this.audio.destination);
      tone.start();
      tone.stop(now + 0.1);
    } catch {
      // A browser without sound is no reason to stop.
    }
  }
}

window.kitai = new App();
