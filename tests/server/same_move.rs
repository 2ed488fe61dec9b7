//! One position, one answer: command line, GTP and NBoard choose the same move.

use std::process::Command;

use super::client::Client;
use kitai::othello::Color;
use kitai::record::{Board, transcript};

const GAMES: [&str; 3] = [
    "f5",
    "f5d6c3d3c4f4f6g5e3f3g6",
    "e6f4d3c4c3d6e3c2b3d2c5f5f3f6g4e2f2g5e1c1f1h4d1g1e7b1g3h3h6g6f7f8b2a1b4c7a2b6b5c6",
];

fn by_command_line(board: Board, settings: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kitai"))
        .args(["move", &board.to_string()])
        .args(settings)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned()
}

fn by_gtp(board: Board, settings: &[&str]) -> String {
    let mut client = Client::kitai(["gtp"].into_iter().chain(settings.iter().copied()));
    client.gtp(&format!("kitai-setup_board {board}")).unwrap();
    client.gtp(&format!("genmove {}", board.turn)).unwrap()
}

fn by_nboard(board: Board, settings: &[&str]) -> String {
    let mut client =
        Client::kitai(["nboard", "--set", "book=none"].into_iter().chain(settings.iter().copied()));
    let side = if board.turn == Color::Black { '*' } else { 'O' };
    let squares = board.squares().replace('X', "*");
    client.send(&format!("set game (;GM[Othello]PC[NBoard]TI[0]TY[8]BO[8 {squares} {side}];)"));
    client.send("go");
    client.line_starting("=== ")[4..6].to_ascii_lowercase()
}

#[test]
fn every_method_gives_one_answer_through_every_door() {
    for method in kitai::search::methods() {
        for (seed, softness) in [("1", "0"), ("7", "4")] {
            let settings = [
                &format!("method={}", method.name),
                "depth=3",
                "playouts=300",
                "nodes=20000",
                "move-time=0",
                "hash=4",
                &format!("seed={seed}"),
                &format!("softness={softness}"),
            ]
            .map(str::to_owned);
            let arguments: Vec<&str> =
                settings.iter().flat_map(|setting| ["--set", setting.as_str()]).collect();
            for game in GAMES {
                let board = transcript::parse(game).unwrap().board();
                let chosen = by_command_line(board, &arguments);
                assert_eq!(chosen.len(), 2, "{chosen}");
                assert_eq!(by_gtp(board, &arguments), chosen, "{} {game}", method.name);
                assert_eq!(by_nboard(board, &arguments), chosen, "{} {game}", method.name);
            }
        }
    }
}
