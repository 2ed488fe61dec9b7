//! Every place of the page in a real browser.

use std::path::{Path, PathBuf};

use rand::Rng;

use super::browser::{Browser, Tab};
use super::server::Server;
use kitai::othello::Move;
use kitai::random::seeded;
use kitai::record::History;

/// A game with an early mistake, long enough to be solved at its end.
pub(crate) const GAME: &str = "f5f4d3f6g6c4e3e6f3g5h6g4h5h3g3c2c3d2f7b4d6e7c5b6f8h4h2c7c6e2b5d7e8d8a6g8f2a5e1g7c8b8d1c1b7a8\
a7f1a3a4g1h1g2h7h8a2a1pab1b2b3";

fn start(fragment: &str) -> (Server, Browser, Tab) {
    let server = Server::start(&[]);
    let mut browser = Browser::start();
    let tab = browser.open(&server, fragment);
    (server, browser, tab)
}

#[test]
#[ignore = "needs Chromium"]
fn a_whole_game_is_played_by_clicks_in_a_browser() {
    let (_server, mut browser, tab) = start("#place=play");
    browser.run(&tab, "kitai.views.play.choose({ preset: 'level-1', side: 'X' })");
    browser.click(&tab, "#panel .actions .main");
    let mut rng = seeded(5);
    loop {
        browser.wait(&tab, "kitai.game.position.isOver || kitai.views.play.mayPlay()");
        if browser.run(&tab, "kitai.game.position.isOver") == true {
            break;
        }
        let before = browser.run(&tab, "kitai.game.end").as_u64().unwrap();
        let open = browser.run(
            &tab,
            "[...document.querySelectorAll('.squares button.open')].map((b) => b.dataset.square)",
        );
        let open = open.as_array().unwrap();
        assert!(!open.is_empty());
        let name = open[rng.random_range(0..open.len())].as_str().unwrap().to_owned();
        browser.click(&tab, &format!("[data-square={name}]"));
        browser.wait(&tab, &format!("kitai.game.end > {before}"));
    }
    let text = browser.run(&tab, "kitai.game.text()");
    let history = kitai::record::transcript::parse(text.as_str().unwrap()).unwrap();
    assert!(history.is_over(), "{text}");
    let rows = browser.run(&tab, "document.querySelectorAll('.record tbody tr').length");
    assert_eq!(rows.as_u64().unwrap() as usize, history.moves().len());
    let score = history.board().final_score_for_black();
    let said = browser.run(&tab, "document.querySelector('#panel .message').textContent");
    let winner = if score == 0 {
        "draw"
    } else if score > 0 {
        "Black wins"
    } else {
        "White wins"
    };
    assert!(said.as_str().unwrap().contains(winner), "{said} {score}");
}

#[test]
#[ignore = "needs Chromium"]
fn a_move_is_made_and_taken_back_with_the_keyboard_in_a_browser() {
    let (_server, mut browser, tab) = start("#place=play");
    browser.run(
        &tab,
        "kitai.views.play.choose({ preset: 'level-1', side: 'X' }); kitai.views.play.newGame()",
    );
    browser.run(&tab, "document.querySelector('[data-square=e6]').focus()");
    browser.press(&tab, "ArrowUp", 38);
    browser.press(&tab, "ArrowRight", 39);
    assert_eq!(browser.run(&tab, "document.activeElement.dataset.square"), "f5");
    browser.press(&tab, "Enter", 13);
    browser.wait(&tab, "kitai.game.text().startsWith('f5') && kitai.game.end === 2");
    browser.press(&tab, "u", 85);
    browser.wait(&tab, "kitai.game.end === 0");
}

#[test]
#[ignore = "needs Chromium"]
fn the_rules_of_the_page_are_those_of_the_engine_in_a_browser() {
    let (_server, mut browser, tab) = start("");
    let perft = "(async () => { const r = await import('/page/rules.js'); const count = (at, n) => n === 0 ? 1 : \
                 at.isOver ? 1 : at.mustPass ? count(r.play(at, 'pa'), n - 1) : \
                 at.moves.reduce((sum, m) => sum + count(r.play(at, r.squareName(m)), n - 1), 0); \
                 return [1, 2, 3, 4, 5, 6].map((n) => count(r.startPosition(), n)); })()";
    let counts = browser.run(&tab, perft);
    assert_eq!(counts, serde_json::json!([4, 12, 56, 244, 1396, 8200]));
    let mut rng = seeded(8);
    for _ in 0..100 {
        let mut history = History::default();
        while !history.is_over() {
            let moves: Vec<Move> = history.board().position.children().map(|(m, _)| m).collect();
            history.play(moves[rng.random_range(0..moves.len())]).unwrap();
        }
        let text: String = history.moves().iter().map(|m| m.to_string().to_lowercase()).collect();
        let last = browser.run(
            &tab,
            &format!(
                "import('/page/rules.js').then((r) => {{ const all = r.readGame('{text}'); \
                 const last = all[all.length - 1]; return [last.cells.join(''), last.isOver, r.finalScore(last.cells)]; }})"
            ),
        );
        assert_eq!(last[0], history.board().squares(), "{text}");
        assert_eq!(last[1], true);
        assert_eq!(last[2], history.board().final_score_for_black());
    }
}

#[test]
#[ignore = "needs Chromium"]
fn an_analysis_is_followed_and_the_game_reviewed_in_a_browser() {
    let (_server, mut browser, tab) = start(&format!("#place=study&game={GAME}&at=24"));
    browser.wait(&tab, "kitai.views.study.report?.depth >= 8");
    let legal = browser.run(&tab, "kitai.game.position.moves.length");
    browser.wait(&tab, &format!("document.querySelectorAll('.square-value').length === {legal}"));
    assert!(
        browser.run(&tab, "document.querySelectorAll('.lines li .moves button').length").as_u64()
            > Some(6)
    );
    // A line can be stepped through, and the game comes back.
    browser.click(&tab, ".lines li .moves button:nth-child(2)");
    browser.wait(&tab, "kitai.preview !== null");
    browser.press(&tab, "End", 35);
    browser.wait(&tab, "kitai.preview === null && kitai.game.isAtEnd");
    browser.wait(&tab, "kitai.game.notes.every((note, i) => kitai.game.move(i + 1) === 'pa' || note.loss !== undefined)");
    browser.wait(&tab, "document.querySelectorAll('.marks i').length > 0");
    assert!(
        browser.run(&tab, "document.querySelectorAll('.dots .source-solved').length").as_u64()
            > Some(10)
    );
    // Clicking the graph jumps.
    browser.run(&tab, "document.querySelector('.graph').dispatchEvent(new MouseEvent('click', { clientX: document.querySelector('.graph').getBoundingClientRect().x + 1 }))");
    browser.wait(&tab, "kitai.game.at === 0");
    // Another method and a position set up by hand.
    browser.run(&tab, "(() => { const s = document.querySelector('#panel select'); s.value = 'mcts'; s.dispatchEvent(new Event('change')); })()");
    browser.wait(&tab, "kitai.views.study.report?.playouts > 0");
    browser.run(&tab, "kitai.views.study.setUp()");
    browser.click(&tab, "[data-square=a1]");
    browser.click(&tab, ".setup .main");
    browser.wait(&tab, "kitai.game.position.cells[0] === 'X' && kitai.game.end === 0");
}

#[test]
#[ignore = "needs Chromium"]
fn games_are_loaded_saved_and_shared_in_a_browser() {
    let (_server, mut browser, tab) = start("#place=play");
    browser.run(&tab, "[...document.querySelectorAll('.files button')].find((b) => b.textContent === 'Load').click()");
    browser.run(&tab, "document.querySelector('dialog textarea').value = '(;GM[Othello]PC[x]PB[Ann]PW[Bob]RE[?]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5//1.5]W[d6]B[c3];)'");
    browser.run(&tab, "[...document.querySelectorAll('dialog button')].find((b) => b.textContent === 'Load this text').click()");
    // It is Kitai's turn in the loaded game, so that a reply may stand behind the moves.
    browser.wait(&tab, "kitai.game.text().startsWith('f5d6c3') && kitai.game.black === 'Ann'");
    for (format, first) in [("ggf", "b[f5"), ("sgf", ";b[fe]"), ("transcript", "f5d6c3")] {
        let written = browser.run(&tab, &format!("kitai.link.once({{ do: 'write', format: '{format}', game: {{ game: kitai.game.text(), black: 'Ann' }} }})"));
        assert!(written["text"].as_str().unwrap().to_lowercase().contains(first), "{written}");
    }
    assert!(browser.run(&tab, "location.hash").as_str().unwrap().contains("game=f5d6c3"));
    let address = browser.run(&tab, "location.href").as_str().unwrap().to_owned();
    browser.run(&tab, "localStorage.clear(); kitai.game.reset(); kitai.changed()");
    browser.go(&tab, &address);
    browser.wait(&tab, "kitai.game.text().startsWith('f5d6c3')");
}

#[test]
#[ignore = "needs Chromium"]
fn a_restarted_server_goes_on_with_the_game_of_the_page_in_a_browser() {
    let (server, mut browser, tab) = start("#place=study&game=f5d6c3d3c4");
    browser.wait(&tab, "kitai.views.study.report?.depth >= 6");
    let port = server.address.port();
    drop(server);
    browser.wait(&tab, "document.querySelector('#banner').classList.contains('shown')");
    // The page still knows the rules and the game.
    browser.click(&tab, "[data-square=f4]");
    browser.wait(&tab, "kitai.game.text() === 'f5d6c3d3c4f4'");
    let server = Server::on(port, &[]);
    browser.wait(&tab, "!document.querySelector('#banner').classList.contains('shown')");
    browser.wait(&tab, "kitai.views.study.report?.depth >= 4");
    // And a page opened anew finds it in the browser's storage.
    browser.run(&tab, "history.replaceState(null, '', '/')");
    browser.reload(&tab);
    assert_eq!(browser.run(&tab, "kitai.game.text()"), "f5d6c3d3c4f4");
    drop(server);
}

/// The log of a small match in a folder of its own.
fn watched_match(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("kitai-{name}-{}", std::process::id()));
    let out = folder.join("m");
    let terms = ["match", "name=a,depth=2", "name=b,depth=1", "--games", "6"];
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_kitai"))
        .args(terms)
        .args(["--openings", "random:4", "--out"])
        .arg(&out)
        .output()
        .unwrap();
    assert!(ran.status.success());
    out.with_extension("jsonl")
}

#[test]
#[ignore = "needs Chromium"]
fn a_match_is_watched_and_replayed_in_a_browser() {
    let log = watched_match("watch");
    let server = Server::start(&["--watch", log.to_str().unwrap()]);
    let mut browser = Browser::start();
    let tab = browser.open(&server, "#place=watch");
    browser.wait(
        &tab,
        "document.querySelector('.watch-page .message').textContent.startsWith('6 of 6 games')",
    );
    browser.wait(&tab, "document.querySelectorAll('.games-list button').length === 6");
    browser.wait(&tab, "document.querySelector('.replay output').textContent !== ''");
    let end = browser.run(&tab, "document.querySelector('.replay output').textContent");
    browser.click(&tab, ".replay-line button:nth-child(2)");
    browser.wait(&tab, &format!("document.querySelector('.replay output').textContent !== {end}"));
    let report = std::fs::read_to_string(log.with_extension("html")).unwrap();
    assert!(report.contains("id=\"games\""));
    let _ = std::fs::remove_dir_all(log.parent().unwrap());
}

#[test]
#[ignore = "needs Chromium"]
fn the_first_paint_is_quick_and_small_in_a_browser() {
    let (_server, mut browser, tab) = start("#place=study&game=f5d6c3");
    browser.wait(&tab, "performance.getEntriesByName('first-contentful-paint').length > 0");
    let paint =
        browser.run(&tab, "performance.getEntriesByName('first-contentful-paint')[0].startTime");
    let bytes = browser.run(&tab, "[...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')].reduce((sum, e) => sum + e.transferSize, 0)");
    let foreign = browser.run(&tab, "performance.getEntriesByType('resource').filter((e) => !e.name.startsWith(location.origin)).length");
    println!("first paint after {paint} ms, {bytes} bytes");
    assert!(bytes.as_f64().unwrap() < 300_000.0 && bytes.as_f64().unwrap() > 10_000.0, "{bytes}");
    assert_eq!(foreign, 0);
    // How often the page hears something, over three seconds of its own clock.
    let heard = browser.run(&tab, "new Promise((done) => { const from = kitai.link.updates; setTimeout(() => done((kitai.link.updates - from) / 3), 3000); })");
    println!("{heard} updates a second");
}

#[test]
#[ignore = "needs Chromium"]
fn screenshots_of_every_place_in_a_browser() {
    let log = watched_match("pictures");
    let server = Server::start(&["--watch", log.to_str().unwrap()]);
    let mut browser = Browser::start();
    let tab = browser.open(&server, &format!("#place=study&game={GAME}&at=24"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/screenshots");
    std::fs::create_dir_all(&folder).unwrap();
    for theme in ["light", "dark"] {
        browser.theme(&tab, theme);
        for (width, height) in [(360, 780), (800, 1100), (1600, 1000)] {
            browser.size(&tab, width, height);
            for place in ["play", "study", "compare", "book", "watch"] {
                browser.run(&tab, &format!("kitai.enter('{place}')"));
                match place {
                    "study" => browser.wait(&tab, "kitai.views.study.report?.depth >= 10"),
                    "compare" => browser.wait(&tab, "kitai.views.compare.columns.every((c) => c.report && !c.element.classList.contains('busy'))"),
                    "watch" => browser.wait(&tab, "document.querySelectorAll('.games-list button').length === 6"),
                    _ => {}
                }
                // Nothing is wider than the window.
                let over = browser.run(&tab, "document.documentElement.scrollWidth - innerWidth");
                assert!(over.as_i64().unwrap() <= 0, "{place} at {width}: {over}");
                let picture = browser.screenshot(&tab);
                std::fs::write(
                    folder.join(format!("{place}-{width}-{theme}.png")),
                    decoded(&picture),
                )
                .unwrap();
            }
        }
    }
    let _ = std::fs::remove_dir_all(log.parent().unwrap());
}

/// The bytes of a Base64 text.
fn decoded(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let values: Vec<u32> = text
        .bytes()
        .filter(|byte| *byte != b'=')
        .map(|byte| LETTERS.iter().position(|letter| *letter == byte).unwrap() as u32)
        .collect();
    let mut bytes = Vec::new();
    for four in values.chunks(4) {
        let word =
            four.iter().enumerate().fold(0u32, |word, (i, value)| word | value << (18 - 6 * i));
        bytes.extend_from_slice(&word.to_be_bytes()[1..four.len()]);
    }
    bytes
}

#[test]
fn base64_is_read() {
    assert_eq!(decoded("S2l0YWk="), b"Kitai");
    assert_eq!(decoded("QUI="), b"AB");
}
