import { readGame } from "./rules.js";
import { Board } from "./board.js";
import { replay, resultText, signed } from "./replay.js";
import { T } from "./texts.js";
import { button, h, put } from "./panel.js";

// A running or finished match: standing, crosstable, the games under way and any game again.

export class Watch {
  constructor(app) {
    this.app = app;
    this.title = h("h1", { text: T.watchTitle });
    this.note = h("p", { class: "message", role: "status", text: T.noWatch });
    this.standing = h("div", { class: "scroll" });
    this.cross = h("div", { class: "scroll" });
    this.live = h("div", { class: "live" });
    this.games = h("div", { class: "games-list", tabindex: "0", role: "region", "aria-label": T.gameList });
    this.replay = h("div");
    this.boards = new Map();
    this.underWay = h("div", { hidden: true }, h("h2", { text: T.underWay }), this.live);
    this.body = h("div", { class: "watch", hidden: true },
      h("section", {}, h("h2", { text: T.standing }), this.standing, h("h2", { text: T.crosstable }), this.cross, h("h2", { text: T.gameList }), this.games),
      h("section", {}, this.underWay, this.replay));
    this.wide = h("div", { class: "watch-page" }, this.title, this.note, this.body);
  }

  hello(hello) {
    this.app.link.topic("match", (say) => this.state(say.state));
    if (!hello.watch) put(this.note, T.noWatch);
    if (this.app.place === "watch") this.enter();
  }

  enter() {
    this.app.link.tell({ do: "watch", on: true });
  }

  leave() {
    this.app.link.tell({ do: "watch", on: false });
  }

  mayPlay() {
    return false;
  }

  play() {}

  state(state) {
    this.body.hidden = !state.standing;
    if (state.problem || !state.standing) {
      put(this.note, state.problem || T.watchWaiting);
      return;
    }
    const { standing, settings } = state;
    put(this.title, settings.players.map((player) => player.name).join(" – "));
    put(this.note, `${T.gamesOf(standing.games, standing.planned)} · ${state.complete ? T.finished : T.running}`);
    this.drawStanding(standing);
    this.drawCross(standing);
    this.drawLive(state.live);
    this.drawGames(state.games);
    if (!this.shown && state.games.length > 0) this.open(state.games[0].number);
  }

  drawStanding(standing) {
    const ranked = [...standing.players].sort((a, b) => b.bayes.elo - a.bayes.elo);
    const most = Math.max(50, ...ranked.map((p) => Math.abs(p.bayes.elo) + Math.min(400, p.bayes.margin || 0)));
    const bar = (p) => {
      const at = (elo) => `${50 + (50 * Math.max(-most, Math.min(most, elo))) / most}%`;
      const [line, dot] = [h("i", { class: "span" }), h("i", { class: "dot" })];
      line.style.left = at(p.bayes.elo - (p.bayes.margin ?? most));
      line.style.right = `calc(100% - ${at(p.bayes.elo + (p.bayes.margin ?? most))})`;
      dot.style.left = at(p.bayes.elo);
      return h("div", { class: "elo-bar", "aria-hidden": "true" }, line, dot);
    };
    const rows = ranked.map((p) => {
      const place = standing.players.indexOf(p) % 7;
      return h("tr", { class: `player-${place}` }, h("td", { class: "left" }, h("i", { class: "swatch", "aria-hidden": "true" }), p.name), h("td", { text: p.points }), h("td", { text: p.games }),
        h("td", { text: p.games ? `${((100 * p.points) / p.games).toFixed(1)} %` : "" }), h("td", { text: signed(p.bayes.elo).replace(/\.\d+$/, "") }),
        h("td", { text: p.bayes.margin === null ? "" : `± ${p.bayes.margin.toFixed(0)}` }), h("td", { class: "bar-cell" }, bar(p)));
    });
    this.standing.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, [T.player, T.points, T.games, T.score, T.elo, T.interval, ""].map((text) => h("th", { scope: "col", text })))), h("tbody", {}, rows)),
      ...standing.pairings.slice(0, 1).filter(() => standing.pairings.length === 1).map((pair) => h("p", { class: "figures", text: `${pair.first} – ${pair.second}: +${pair.wins} =${pair.draws} −${pair.losses}, ${eloText(pair.elo)}` })));
  }

  drawCross(standing) {
    const names = [...standing.players].sort((a, b) => b.bayes.elo - a.bayes.elo).map((p) => p.name);
    const cell = (row, column) => {
      const pair = standing.pairings.find((p) => (p.first === row && p.second === column) || (p.first === column && p.second === row));
      if (!pair) return "";
      const points = pair.wins + pair.draws / 2;
      return `${pair.first === row ? points : pair.games - points}/${pair.games}`;
    };
    this.cross.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, h("td"), names.map((text) => h("th", { scope: "col", text })))),
      h("tbody", {}, names.map((row) => h("tr", {}, h("th", { scope: "row", text: row }), names.map((column) => h("td", { text: row === column ? "·" : cell(row, column) })))))));
  }

  drawLive(live) {
    this.underWay.hidden = live.length === 0;
    const now = new Set(live.map((game) => game.number));
    for (const [number, one] of this.boards) {
      if (!now.has(number)) {
        one.element.remove();
        this.boards.delete(number);
      }
    }
    for (const game of live.slice(0, 12)) {
      let one = this.boards.get(game.number);
      if (!one) {
        const board = new Board(`Game ${game.number}`);
        const text = h("p", { class: "quiet" });
        one = { board, text, element: h("figure", {}, board.element, h("figcaption", {}, text)) };
        this.boards.set(game.number, one);
        this.live.append(one.element);
      }
      const positions = readGame(game.game);
      one.board.show(positions[positions.length - 1], { animate: true });
      put(one.text, `${game.number}. ● ${game.black} ${signed(game.evals[0])} – ○ ${game.white} ${signed(game.evals[1])}`);
    }
  }

  drawGames(games) {
    this.games.replaceChildren(...games.map((game) => button(`${game.number}. ${game.black} – ${game.white} ${resultText(game)}`, () => this.open(game.number), { class: "plain wide", "aria-pressed": String(this.shown === game.number) })));
  }

  open(number) {
    this.shown = number;
    this.app.link.ask({ do: "watched", number }, (say) => {
      if (say.say !== "game") return;
      const { game } = say;
      const study = button(T.openInStudy, () => {
        const pad = Array(game.opening).fill(null);
        this.app.game.load(game.game, { black: game.black, white: game.white, evals: [...pad, ...game.evals], times: [...pad, ...game.times.map((t) => t / 1000)] });
        this.app.enter("study");
      });
      this.replay.replaceChildren(h("h2", { text: T.replayOf(number) }), replay(game), h("div", { class: "row" }, study));
    });
  }
}

// An interval without one of its ends is told as what it is: a bound.
function eloText({ elo, low, high }) {
  const whole = (v) => signed(v).replace(/\.\d+$/, "");
  if (low === null && high === null) return `${T.elo} ${T.unknown}`;
  if (high === null) return `${T.elo} ${T.atLeast(whole(low))}`;
  if (low === null) return `${T.elo} ${T.atMost(whole(high))}`;
  return `${T.elo} ${elo === null ? "" : whole(elo)} [${whole(low)}, ${whole(high)}]`;
}
