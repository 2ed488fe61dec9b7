import { readGame, count } from "./rules.js";
import { Board } from "./board.js";

// Replays a game with both players' values. `game` is what the log of a match holds.

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") made.textContent = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

export function signed(value) {
  return value === null || value === undefined ? "" : (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2);
}

export function resultText(game) {
  if (game.discs !== null && game.discs !== undefined) {
    const discs = game.discs > 0 ? `+${game.discs}` : `${game.discs}`.replace("-", "−");
    return game.ending ? `${discs} (${game.ending})` : discs;
  }
  return game.ending || ["0–1", "½–½", "1–0"][game.half_points];
}

export function replay(game) {
  const positions = readGame(game.game);
  const board = new Board(`Game ${game.number}`);
  const root = element("section", { class: "replay", "aria-label": `Replay of game ${game.number}` });
  const black = element("span");
  const white = element("span");
  const slider = element("input", {
    type: "range", min: 0, max: positions.length - 1, value: positions.length - 1, "aria-label": "Move",
  });
  const said = element("output", { "aria-live": "polite" });
  const button = (text, name, act) => {
    const made = element("button", { type: "button", "aria-label": name, text });
    made.addEventListener("click", act);
    return made;
  };
  let at = 0;
  const go = (to, animate = false) => {
    const next = Math.max(0, Math.min(positions.length - 1, to));
    const position = positions[next];
    board.show(position, { animate: animate && next === at + 1 });
    at = next;
    slider.value = at;
    black.textContent = `● ${game.black} ${count(position.cells, "X")}`;
    white.textContent = `${count(position.cells, "O")} ${game.white} ○`;
    const index = at - 1 - game.opening;
    const mover = at > 0 ? (positions[at - 1].turn === "X" ? game.black : game.white) : "";
    const value = signed(game.evals[index]);
    const time = game.times[index];
    said.textContent =
      at === 0 ? "start"
        : `${at}. ${position.last}` + (index < 0 ? " (opening)" : ` ${mover} ${value}`) +
          (time > 0 ? ` ${time < 1000 ? time.toFixed(0) + " ms" : (time / 1000).toFixed(1) + " s"}` : "");
  };
  slider.addEventListener("input", () => go(Number(slider.value)));
  root.append(
    element("div", { class: "replay-players" }, black, white),
    board.element,
    element("div", { class: "replay-line" },
      button("«", "First move", () => go(0)), button("‹", "Previous move", () => go(at - 1)),
      slider,
      button("›", "Next move", () => go(at + 1, true)), button("»", "Last move", () => go(positions.length))),
    element("div", { class: "replay-line" }, said),
  );
  go(positions.length - 1);
  return root;
}
