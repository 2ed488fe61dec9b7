//! What the comparison shows is what the command line says.

use std::process::Command;

use serde_json::Value;

use super::browser::{Browser, Tab};
use super::server::Server;
use kitai::othello::random::{random_position, seeded};
use kitai::record::Board;

/// The columns: an option set each.
const COLUMNS: &str = "[{ method: 'minimax', set: { depth: 6 } }, { method: 'expectation', set: { depth: 3 } }, \
    { method: 'expected-value', set: { depth: 3, sigma: 6.5 } }, { method: 'mcts', set: { playouts: 300 } }, \
    { method: 'om', set: { depth: 3, 'opponent-softness': 2 } }]";

/// Runs the command that a column names.
fn told(command: &str) -> Value {
    let board = command.split('"').nth(1).unwrap();
    let flags = command.split('"').nth(2).unwrap().split_whitespace();
    let output = Command::new(env!("CARGO_BIN_EXE_kitai"))
        .args(["move", board])
        .args(flags)
        .output()
        .unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).map(as_the_page_has_it).unwrap()
}

/// A browser knows one kind of number, so that 4.0 comes back from it as 4.
fn as_the_page_has_it(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(whole) if whole.fract() == 0.0 && whole.abs() < 1e15 => (whole as i64).into(),
            _ => number.into(),
        },
        Value::Array(items) => items.into_iter().map(as_the_page_has_it).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, as_the_page_has_it(value))).collect()
        }
        other => other,
    }
}

/// What a column shows: the data behind it and its texts.
fn shown(browser: &mut Browser, tab: &Tab, index: usize) -> Value {
    let value = browser.run(
        tab,
        &format!(
            "(() => {{ const c = kitai.views.compare.columns[{index}]; const t = (s) => c.element.querySelector(s)?.textContent; \
             return {{ command: t('code'), report: c.report, behind: c.behind, move: t('.choice-move'), \
             value: t('.answer .value'), pv: t('.pv'), figures: t('.distribution .figures'), \
             bars: [...c.element.querySelectorAll('.bar-figure')].map((e) => e.textContent), \
             names: [...c.element.querySelectorAll('.bar-name')].map((e) => e.textContent) }}; }})()"
        ),
    );
    as_the_page_has_it(value)
}

fn signed(value: f64) -> String {
    let text = format!("{:.2}", value.abs());
    if text == "0.00" { text } else { format!("{}{text}", if value < 0.0 { "−" } else { "+" }) }
}

#[test]
#[ignore = "needs Chromium"]
fn twenty_positions_show_what_the_command_line_says_in_a_browser() {
    let server = Server::start(&[]);
    let mut browser = Browser::start();
    let tab = browser.open(&server, "#place=compare");
    browser.run(&tab, &format!("(() => {{ const v = kitai.views.compare; while (v.columns.length) v.drop(v.columns[0], false); for (const c of {COLUMNS}) v.addColumn(c, false); }})()"));
    let mut rng = seeded(1);
    let (mut normals, mut replies, mut visits) = (0, 0, 0);
    for number in 0..20 {
        let position = random_position(50 - 2 * number, &mut rng);
        if !position.has_move() {
            continue;
        }
        let board = Board { position, turn: kitai::othello::Color::Black };
        browser.run(&tab, &format!("kitai.game.load('{board}'); kitai.changed()"));
        browser.wait(&tab, "kitai.views.compare.columns.every((c) => c.report && !c.element.classList.contains('busy'))");
        for index in 0..5 {
            let shown = shown(&mut browser, &tab, index);
            let command = shown["command"].as_str().unwrap();
            assert!(command.contains(&board.to_string()), "{command}");
            let told = told(command);
            assert_eq!(shown["report"]["lines"], told["lines"], "{command}");
            assert_eq!(shown["report"]["nodes"], told["nodes"], "{command}");
            assert_eq!(shown["report"]["playouts"], told["playouts"], "{command}");
            assert_eq!(shown["behind"], told["behind"], "{command}");
            // And the texts are made from that.
            assert_eq!(shown["move"], told["move"].as_str().unwrap().to_lowercase());
            let score = told["score"].as_f64().unwrap();
            assert_eq!(shown["value"], signed(score), "{command}");
            match told["behind"]["kind"].as_str() {
                Some("normals") => {
                    let sigma = format!("σ {:.2}", told["behind"]["sigma"].as_f64().unwrap());
                    assert!(shown["figures"].as_str().unwrap().contains(&sigma), "{shown}");
                    normals += 1;
                }
                Some("replies") => {
                    let first = &told["behind"]["replies"][0];
                    assert_eq!(shown["names"][0], first["move"].as_str().unwrap().to_lowercase());
                    let share = format!("{:.0} %", 100.0 * first["probability"].as_f64().unwrap());
                    assert_eq!(shown["bars"][0], share, "{command}");
                    replies += 1;
                }
                _ => {}
            }
            let most = told["lines"]
                .as_array()
                .unwrap()
                .iter()
                .map(|line| line["visits"].as_u64().unwrap())
                .max();
            if most > Some(0) && most < Some(1000) {
                assert_eq!(shown["bars"][0], most.unwrap().to_string(), "{command}");
                visits += 1;
            }
        }
    }
    println!("{normals} normals, {replies} lists of replies, {visits} lists of visits compared");
    assert!(normals > 20 && replies > 10 && visits > 10);
}
