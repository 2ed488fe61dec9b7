//! The messages of the specification, and damaged ones.

use proptest::prelude::*;

use super::event::{Event, Flag, MatchEnding, Question};
use super::framing::{Frame, Framer};
use super::grammar;
use super::words::GameKey;
use crate::othello::{Color, Move};
use crate::record::Board;

/// The events of a text.
pub(super) fn events(text: &str) -> Vec<Event> {
    let mut framer = Framer::default();
    let mut found = Vec::new();
    let mut each = |frame| {
        if let Frame::Message(message) = frame {
            found.push(grammar::event(&message));
        }
    };
    for line in text.lines() {
        framer.line(line, &mut each);
    }
    framer.flush(&mut each);
    found
}

fn one(text: &str) -> Event {
    let found = events(text);
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().unwrap()
}

pub(super) const BOARD: &str = "|
|   A B C D E F G H
| 1 - - - - - - - - 1
| 2 - - - - - - - - 2
| 3 - - - - - - - - 3
| 4 - - - O * - - - 4
| 5 - - - * O - - - 5
| 6 - - - - - - - - 6
| 7 - - - - - - - - 7
| 8 - - - - - - - - 8
|   A B C D E F G H
|
|* to move
";

const AFTER_F5: &str = "|
|   A B C D E F G H
| 1 - - - - - - - - 1 
| 2 - - - - - - - - 2 
| 3 - - - - - - - - 3 
| 4 - - - O * - - - 4 
| 5 - - - * * * - - 5 
| 6 - - - - - - - - 6 
| 7 - - - - - - - - 7 
| 8 - - - - - - - - 8 
|   A B C D E F G H
|
|O to move
";

#[test]
fn requests_are_read_with_all_their_fields() {
    let Event::Request(request) =
        one("/os: +   .8 1720.0 alice    01:00//02:00       8b U 1720.0 bob")
    else {
        panic!("a request")
    };
    assert_eq!((request.number, request.asker.as_str()), (8, "alice"));
    assert_eq!(request.opponent.as_deref(), Some("bob"));
    assert_eq!((request.flag, request.game_type.text.as_str()), (Flag::Unrated, "8b"));
    assert_eq!(request.opponent_clock, request.asker_clock);
    let Event::RequestGone(request) =
        one("/os: -  .10 1506.7 alice    05:00//02:00        8 R 1933.3 bob      10:00//02:00")
    else {
        panic!("a request")
    };
    assert_eq!(request.opponent_clock.left().as_secs(), 600);
    assert_eq!(request.flag, Flag::Rated);
    let Event::Request(request) =
        one("/os: +   .7 1506.7 alice    01:00//02:00       8b S 1933.3 bob      .4")
    else {
        panic!("a request")
    };
    assert_eq!((request.archive, request.flag), (Some(4), Flag::Stored));
    let Event::Request(request) =
        one("/os: +   .0 1720.0 alice    15:00//02:00        8 U *      *")
    else {
        panic!("a request")
    };
    assert_eq!(request.opponent, None);
    let Event::Request(request) = one(
        "/os: +   .0  985.0 a:b    2.00:00:00/00:12/02:00   s8r20 R 1720.0 bob 1.00:00:00// .44",
    ) else {
        panic!("a request")
    };
    assert_eq!(request.asker_clock.left().as_secs(), 172_800);
    assert_eq!(request.opponent_clock.left().as_secs(), 86_400);
    assert_eq!(request.archive, Some(44));
}

#[test]
fn matches_begin_and_end_in_every_way() {
    let Event::MatchBegins(line) = one("/os: + match .5 1720 alice 1720 bob 8b U") else {
        panic!("a match")
    };
    assert_eq!((line.number, line.players[1].0.as_str()), (5, "bob"));
    let end = |text| match one(text) {
        Event::MatchEnds { ending, archive, .. } => (ending, archive),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        end("/os: - match .1 2038 alice 1402 bob s8 R +64.00  .1"),
        (MatchEnding::Result(64.0), Some(1))
    );
    assert_eq!(
        end("/os: - match .4 1507 alice 1933 bob 8b R bob left .4"),
        (MatchEnding::Left("bob".to_owned()), Some(4))
    );
    assert_eq!(
        end("/os: - match .8 1720 alice 1720 bob s8r14 R aborted"),
        (MatchEnding::Aborted, None)
    );
    assert_eq!(
        end("/os: - match .0 1720 alice 1720 bob 8b U -14.00"),
        (MatchEnding::Result(-14.0), None)
    );
}

#[test]
fn a_game_without_moves_shows_a_pass_that_nobody_made() {
    let text = format!(
        "/os: join .5 8b K?\n|0 move(s)\n|  0: PASS\n|alice    (1720.0 *) 00:59,0:0//02:00,0:0\n\
         |bob      ( 985.0 O) 01:00,0:0//02:00,0:0\n{BOARD}READY"
    );
    let Event::Join(view) = one(&text) else { panic!("a game") };
    assert_eq!(view.game, GameKey { number: 5, half: None });
    assert_eq!((view.made, view.moves.len(), view.komi), (0, 0, None));
    assert_eq!(view.board, Board::START);
    assert_eq!(view.players[0].color, Some(Color::Black));
    assert_eq!(view.players[1].rating, 985.0);
    assert_eq!(view.players[0].clock.left().as_secs(), 59);
}

#[test]
fn a_game_with_moves_shows_its_start_and_its_present() {
    let text = format!(
        "/os: join .0.1 s8 K-3.5\n|1 move(s)\n|alice    (1720.0 *) 05:00//01:00\n\
         |bob      (1720.0 O) 04:00//01:00\n{BOARD}|  1: f5/1.50/5.19\n\
         |alice    (1720.0 *) 04:54,1:0//01:00,1:0\n|bob      (1720.0 O) 04:58,1:0//01:00,1:0\n\
         {AFTER_F5}READY"
    );
    let Event::Join(view) = one(&text) else { panic!("a game") };
    assert_eq!((view.made, view.komi), (1, Some(-3.5)));
    let (start, clocks) = view.start.unwrap();
    assert_eq!(start, Board::START);
    assert_eq!(clocks[1].left().as_secs(), 240);
    assert_eq!(view.players[0].clock.left().as_secs(), 294);
    assert_eq!(view.moves[0].note.seconds, Some(5.19));
    assert_eq!(view.board.turn, Color::White);
    assert!(view.board.position.empty_count() == 59);
}

#[test]
fn updates_are_read_with_blanks_and_capitals() {
    let text = format!(
        "/os: update .5 8b K?\n|  1: F 5 /1.50 / 3.47\n|alice    (1720.0 *) -00:56,1:0//02:00,1:0\n\
         |bob      (1720.0 O) 01:00,0:0//02:00,0:0\n{AFTER_F5}"
    );
    let Event::Update(view) = one(&text) else { panic!("an update") };
    assert_eq!(view.moves[0].played, "f5".parse().unwrap());
    assert_eq!((view.moves[0].note.eval, view.made), (Some(1.5), 1));
    assert!(view.players[0].clock.main.negative);
}

#[test]
fn a_message_is_complete_when_its_present_board_is_there() {
    let text = format!(
        "/os: join .0 8 K?\n|1 move(s)\n|alice    (1720.0 *) 05:00//01:00\n\
         |bob      (1720.0 O) 04:00//01:00\n{BOARD}|  1: f5/1.50/5.19\n\
         |alice    (1720.0 *) 04:54,1:0//01:00,1:0\n|bob      (1720.0 O) 04:58,1:0//01:00,1:0\n\
         {AFTER_F5}"
    );
    let lines: Vec<&str> = text.lines().collect();
    let mut framer = Framer::default();
    for (index, line) in lines.iter().enumerate() {
        framer.line(line, |_| {});
        let complete = grammar::is_complete(framer.open().unwrap());
        assert_eq!(complete, index + 1 == lines.len(), "{line}");
    }
}

#[test]
fn compact_games_are_records() {
    let text = "/os: join .0 (;GM[Othello]PC[GGS/os]DT[2026.11.16_02:01:46.UTC]\n|PB[alice]PW[bob]\n\
        |RB[1720]RW[1720]\n|TI[05:00//01:00]\n|TY[8b]RE[?]\n\
        |BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]\n\
        |B[f5/1.50/5.19]W[d6//1.16]\n|;)\n/os: update .0 C3//1.15\nREADY";
    let found = events(text);
    let [Event::CompactJoin { record, .. }, Event::CompactUpdate { played, .. }] = &found[..]
    else {
        panic!("{found:?}")
    };
    assert_eq!(record.history.moves().len(), 2);
    assert_eq!(played.played, "c3".parse::<Move>().unwrap());
    assert_eq!(played.note.seconds, Some(1.15));
}

#[test]
fn the_other_messages_of_games_are_read() {
    let synchro = GameKey { number: 1, half: Some(0) };
    let game = GameKey { number: 10, half: None };
    let login = || "bob".to_owned();
    let first = || "alice".to_owned();
    let ends = |result| Event::GameEnds { game: synchro, first: first(), result };
    assert_eq!(one("/os: end .1.0 ( alice vs. bob ) +14.00"), ends(Some(14.0)));
    assert_eq!(one("/os: end .1.0 ( alice vs. bob ) player bob left"), ends(None));
    assert_eq!(
        one("/os: timeout .10 bob (O)"),
        Event::TimeOut { game, login: login(), fatal: false }
    );
    assert_eq!(
        one("/os: fatal-timeout .10 bob (O)"),
        Event::TimeOut { game, login: login(), fatal: true }
    );
    assert_eq!(
        one("/os: trust-violation .10 bob (*) delta= 4 + 1.4 secs"),
        Event::TrustViolation { game, login: login() }
    );
    for (word, question) in
        [("undo", Question::Undo), ("abort", Question::Abort), ("score", Question::Score)]
    {
        let verb = if question == Question::Score { "offering" } else { "asking" };
        assert_eq!(
            one(&format!("/os: {word} .10 bob is {verb}")),
            Event::Question { question, game, login: login() }
        );
    }
    assert_eq!(
        one("/os: error .1.0 wrong game!"),
        Event::GameError { game: synchro, text: "wrong game!".to_owned() }
    );
    assert_eq!(one("/os: + bob stored"), Event::StoredOpponent(login()));
    let ratings = "/os: rating_update .9\n|alice    1434.44 @ 257.02   -15.76 -> 1418.68 @ 246.35\n\
                   |bob      2005.56 @ 257.02   +15.76 -> 2021.32 @ 246.35";
    let Event::Ratings { number: 9, changes } = one(ratings) else { panic!("ratings") };
    assert_eq!((changes[0].new, changes[1].deviation), (1418.68, 246.35));
    let stored = "/os: stored 1 alice\n|.4       16 Nov 2026 02:03:12 alice    bob      8b:l";
    let Event::Stored(games) = one(stored) else { panic!("a list") };
    assert_eq!((games[0].archive, games[0].players[1].as_str()), (4, "bob"));
    assert_eq!(grammar::stored_type(&games[0].game_type).unwrap().text, "8b");
    let look = "/os: look .16\n|1 (;GM[Othello]PB[a]PW[b]BO[8 -------- -------- -------- \
                ---O*--- ---*O--- -------- -------- -------- *]B[f5];)";
    let Event::Archive { archive: Some(16), records } = one(look) else { panic!("an archive") };
    assert_eq!(records.len(), 1);
}

#[test]
fn errors_and_words_of_the_central_server_are_told_apart() {
    assert_eq!(one(": + /os 1"), Event::Presence { login: "/os".to_owned(), present: true });
    assert_eq!(one(": - /os 1"), Event::Presence { login: "/os".to_owned(), present: false });
    assert!(matches!(one(": ERR user '/os' not found."), Event::Central(_)));
    for text in [
        "/os: ERR match '.0' not found.",
        "/os: watch + ERR not found: .0",
        "/os: illegal board type",
        "/os: cancel ERR not found: .3",
    ] {
        assert!(matches!(one(text), Event::ServiceError(_)), "{text}");
    }
}

#[test]
fn what_people_say_is_never_mistaken_for_the_game() {
    for text in [
        "/os: .5 A 1720 bob: error .5 illegal move",
        "/os:  + root watch .13",
        ".chat bob: /os: + match .1",
        "/os: match 1/1",
        "/os: who     3      change:    win    draw    loss         match(es)",
        "banner text",
    ] {
        assert!(matches!(one(text), Event::Other(_)), "{text}: {:?}", one(text));
    }
    assert!(matches!(one("bob: hello\n|there"), Event::Tell { lines, .. } if lines.len() == 2));
}

#[test]
fn only_the_service_itself_makes_errors() {
    for text in [
        "/os: finger bob says ERR match '.5' not found.",
        "/os: .5 A ? bob: ERR match '.5' not found.",
        "/os: bob: ERR request '.5' not found.",
    ] {
        assert!(matches!(one(text), Event::Other(_)), "{text}: {:?}", one(text));
    }
    assert!(matches!(one("/os: stored ERR user 'x' not found."), Event::ServiceError(_)));
}

#[test]
fn lines_that_nobody_knows_do_not_hide_a_board_and_missing_ones_do() {
    let text = format!(
        "/os: join .5 8b K?\n|0 move(s)\n|  0: PASS\n|weather: fine\n\
         |alice    (1720.0 *) 00:59,0:0//02:00,0:0\n|bob      ( 985.0 O) 01:00,0:0//02:00,0:0\n\
         {BOARD}|2 observers\nREADY"
    );
    let Event::Join(view) = one(&text) else { panic!("a game") };
    assert_eq!((view.board, view.made), (Board::START, 0));
    let game = GameKey { number: 5, half: None };
    let without = text.replace("|bob      ( 985.0 O) 01:00,0:0//02:00,0:0\n", "");
    assert_eq!(one(&without), Event::BadBoard(game));
    assert_eq!(one(&text.replace("| 5 - - - * O", "| 5 - - * O")), Event::BadBoard(game));
    // A game with moves that breaks off after its start is not taken for its start.
    assert_eq!(one(&text.replace("|0 move(s)", "|7 move(s)")), Event::BadBoard(game));
}

proptest! {
    /// Messages of the specification with a few characters changed: always some event.
    #[test]
    fn damaged_messages_are_events_too(
        which in 0usize..7, places in proptest::collection::vec((any::<usize>(), any::<char>()), 0..5)
    ) {
        let join = format!("/os: join .5 8b K?\n|0 move(s)\n|  0: PASS\n\
            |alice    (1720.0 *) 00:59,0:0//02:00,0:0\n|bob      ( 985.0 O) 01:00,0:0//02:00,0:0\n{BOARD}");
        let samples = [
            join.as_str(),
            "/os: +   .8 1720.0 alice    01:00//02:00       8b U 1720.0 bob",
            "/os: - match .1 2038 alice 1402 bob s8 R +64.00  .1",
            "/os: end .1.0 ( alice vs. bob ) +14.00",
            "/os: rating_update .9\n|alice    1434.44 @ 257.02   -15.76 -> 1418.68 @ 246.35",
            "/os: stored 1 alice\n|.4       16 Nov 2026 02:03:12 alice    bob      8b:l",
            "/os: update .0 C3//1.15",
        ];
        let mut text: Vec<char> = samples[which].chars().collect();
        for (place, c) in places {
            let place = place % text.len();
            text[place] = c;
        }
        let text: String = text.into_iter().collect();
        let _ = events(&text);
    }
}
