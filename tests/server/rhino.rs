//! Full games against gtp-rhino (Debian package grhino) over GTP, refereed here.

use std::process::Command;

use super::client::Client;
use kitai::othello::{Color, Move};
use kitai::record::History;

const RHINO: &str = "/usr/games/gtp-rhino";

/// Plays a game; Rhino knows no passes, so only real moves are sent to either side.
fn referee(kitai: &mut Client, rhino: &mut Client, kitai_plays: Color, opening: &str) {
    let mut game = History::default();
    for client in [&mut *kitai, &mut *rhino] {
        client.gtp("1 boardsize 8").unwrap();
        client.gtp("2 clear_board").unwrap();
        client.gtp("3 time_settings 300 0 0").unwrap();
    }
    for index in (0..opening.len()).step_by(2) {
        let color = game.board().turn;
        let square = &opening[index..index + 2];
        game.play(square.parse().unwrap()).unwrap();
        for client in [&mut *kitai, &mut *rhino] {
            client.gtp(&format!("play {color} {square}")).unwrap();
        }
    }
    while !game.is_over() {
        if game.board().position.must_pass() {
            game.play(Move::Pass).unwrap();
            continue;
        }
        let color = game.board().turn;
        let (mover, other) = if color == kitai_plays {
            (&mut *kitai, &mut *rhino)
        } else {
            (&mut *rhino, &mut *kitai)
        };
        let chosen = mover.gtp(&format!("genmove {color}")).unwrap();
        let played: Move = chosen.parse().unwrap_or_else(|_| panic!("`{chosen}` is no move"));
        game.play(played).unwrap_or_else(|illegal| panic!("{illegal}"));
        other.gtp(&format!("play {color} {chosen}")).unwrap();
    }
    let score = match game.board().final_score_for_black() {
        0 => "0".to_owned(),
        won if won > 0 => format!("B+{won}"),
        lost => format!("W+{}", -lost),
    };
    assert_eq!(kitai.gtp("final_score").as_deref(), Ok(score.as_str()));
    assert_eq!(rhino.gtp("final_score").as_deref(), Ok(score.as_str()));
}

#[test]
#[ignore = "needs gtp-rhino (Debian package grhino)"]
fn full_games_both_ways_with_gtp_rhino() {
    let mut kitai = Client::kitai(["gtp", "--set", "depth=4", "--set", "hash=4"]);
    let mut command = Command::new(RHINO);
    command.args(["-l", "1", "-b", "0", "-r", "0"]);
    let mut rhino = Client::start(command);
    for opening in ["", "f5d6c3d3c4f4f6b4", "f5d6c3d3c4f4e3f3"] {
        for kitai_plays in [Color::Black, Color::White] {
            referee(&mut kitai, &mut rhino, kitai_plays, opening);
        }
    }
    for mut client in [kitai, rhino] {
        client.gtp("quit").unwrap();
        assert_eq!(client.wait().code(), Some(0));
    }
}
