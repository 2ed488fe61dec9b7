import { T } from "./texts.js";
import { fragment } from "./game.js";
import { button, dialog, h } from "./panel.js";

// Games in and out: files, pasted text, links.

export function fileButtons(app) {
  return h("div", { class: "row files", role: "group", "aria-label": T.files },
    button(T.save, () => saveDialog(app)), button(T.load, () => loadDialog(app)), button(T.share, () => share(app)));
}

async function share(app) {
  const address = location.origin + "/" + fragment(app.place === "watch" ? "study" : app.place, app.game);
  history.replaceState(null, "", address);
  try {
    await navigator.clipboard.writeText(address);
    app.banner(T.linkCopied, 4000);
  } catch {
    app.banner(T.linkShown, 4000);
  }
}

function saveDialog(app) {
  const choices = Object.keys(T.saveAs).map((format) => h("div", { class: "choice" },
    button(T.saveAs[format], async () => {
      const { game } = app;
      const written = await app.link.once({
        do: "write", format, game: {
          game: game.text(), black: game.black, white: game.white, date: new Date().toISOString().slice(0, 10),
          resigned: game.resigned ? (game.resigned === "X" ? "black" : "white") : null,
          evals: game.notes.map((note) => note.score ?? note.eval ?? null), times: game.notes.map((note) => note.seconds ?? null),
        },
      }).catch((error) => app.banner(error.message, 8000));
      if (!written) return;
      const link = h("a", { href: URL.createObjectURL(new Blob([written.text], { type: "text/plain" })), download: written.name });
      link.click();
      URL.revokeObjectURL(link.href);
      shown.close();
    }, { class: "main" }), h("span", { class: "quiet", text: T.saveHelp[format] })));
  const shown = dialog(T.saveTitle, ...choices);
}

export function loadDialog(app) {
  const list = h("div", { class: "found" });
  const text = h("textarea", { rows: 5, spellcheck: "false", "aria-label": T.pasted });
  const take = async (name, body) => {
    const answer = await fetch(`/read?name=${encodeURIComponent(name)}`, { method: "POST", body }).catch(() => null);
    if (!answer || !answer.ok) {
      list.replaceChildren(h("p", { class: "bad", text: answer ? await answer.text() : T.lost }));
      return;
    }
    const found = await answer.json();
    const use = (one) => {
      app.views.play.cancel();
      app.game.load(one.game, one);
      shown.close();
      app.changed();
    };
    if (found.games.length === 1) {
      use(found.games[0]);
      return;
    }
    const faults = found.faults.map((fault) => h("p", { class: "bad", text: fault }));
    const intro = found.games.length > 0 ? [h("p", { text: T.gamesFound(found.games.length, found.more) })] : [];
    list.replaceChildren(...faults, ...intro, ...found.games.map((one, i) => button(
      `${i + 1}. ${one.black || T.black} – ${one.white || T.white} ${one.result || ""} ${one.date}`, () => use(one), { class: "plain wide" })));
  };
  const file = h("input", { type: "file", class: "unseen", tabindex: "-1", "aria-label": T.chooseFile, onchange: () => file.files[0] && take(file.files[0].name, file.files[0]) });
  const shown = dialog(T.loadTitle,
    h("div", { class: "row" }, button(T.chooseFile, () => file.click(), { class: "main" }), file),
    h("p", { class: "quiet", text: T.dropHere }), text,
    h("div", { class: "row" }, button(T.loadText, () => take("", text.value))), list);
  shown.addEventListener("dragover", (event) => event.preventDefault());
  shown.addEventListener("drop", (event) => {
    event.preventDefault();
    const dropped = event.dataTransfer.files[0];
    if (dropped) take(dropped.name, dropped);
  });
  text.focus();
}
