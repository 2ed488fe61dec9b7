//! The one type every format reads into and writes from: a game and what is known about it.
//!
//! A format keeps what it has room for; the table in [`super::format`] says what that is.

use serde::{Deserialize, Serialize};

use super::{Board, ClockSettings, Fault, History, IllegalMove};
use crate::othello::{Color, Move};
use crate::score::Score;

/// A game and everything a format may say about it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GameRecord {
    /// Start board and moves, passes included.
    pub history: History,
    /// Who played Black.
    pub black: PlayerInfo,
    /// Who played White.
    pub white: PlayerInfo,
    /// Where it was played, e.g. `GGS/os`; empty if unknown.
    pub place: String,
    /// When, in whatever form the source used; empty if unknown.
    pub date: String,
    /// The tournament or event; empty if unknown.
    pub event: String,
    /// The game server's type text, e.g. `8`, `s8r20`, `8k`; empty if unknown.
    pub game_type: String,
    /// Which game of a synchro pair this is.
    pub pair: Option<PairHalf>,
    /// Komi and how it was found.
    pub komi: Option<Komi>,
    /// How it ended, if it did.
    pub result: Option<GameResult>,
    /// One note per move, passes included; missing notes at the end count as empty.
    pub notes: Vec<Note>,
    /// Score under perfect play, as the WTHOR database stores it.
    pub theory: Option<Theory>,
    /// Known scores of moves on the last board (problem files).
    pub answers: Vec<(Move, Score)>,
    /// The value of the last board for its mover, where a problem file gives no moves.
    pub value: Option<Score>,
    /// Free text about the whole game.
    pub comment: String,
}

/// A player as the record knows them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlayerInfo {
    /// Name; empty if unknown.
    pub name: String,
    /// Rating.
    pub rating: Option<f64>,
    /// Clock at the start.
    pub clock: Option<ClockSettings>,
}

/// Which game of a synchro pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PairHalf {
    /// The first of two games on a line.
    First,
    /// The second.
    Second,
}

/// Komi: discs taken from Black's result, and the bids it came from.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Komi {
    /// What is subtracted from Black's disc difference.
    pub value: Option<f64>,
    /// Black's bid: a first move with the result expected from it.
    pub black_bid: Option<Bid>,
    /// White's bid.
    pub white_bid: Option<Bid>,
}

/// A komi bid.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bid {
    /// The first move offered.
    pub played: Move,
    /// What was expected from it, and the time it took.
    pub note: Note,
}

/// What is known about one move.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Note {
    /// Value in discs from the mover's view.
    pub eval: Option<f64>,
    /// Time used, in seconds.
    pub seconds: Option<f64>,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameResult {
    /// By how much.
    pub margin: Margin,
    /// In which way.
    pub ending: Ending,
}

/// By how much a game was won.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub enum Margin {
    /// Discs from Black's view, komi already subtracted.
    Discs(f64),
    /// Won, no discs recorded.
    WonBy(Color),
}

/// In which way a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Ending {
    /// Played out or scored.
    #[default]
    Scored,
    /// Someone resigned.
    Resigned,
    /// Someone ran out of time.
    TimeOut,
    /// The players agreed on a score.
    Agreed,
    /// Someone left.
    Left,
}

/// A score under perfect play from some point on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Theory {
    /// Disc difference from Black's view, empties to the winner.
    pub score: i32,
    /// From how many empties on the play is perfect.
    pub empties: u8,
}

impl GameResult {
    /// The result of a played-out game, discs from Black's view.
    pub fn scored(discs: i32) -> GameResult {
        GameResult { margin: Margin::Discs(f64::from(discs)), ending: Ending::Scored }
    }
}

impl GameRecord {
    /// A game of which only the moves are known.
    pub fn of(history: History) -> GameRecord {
        GameRecord { history, ..GameRecord::default() }
    }

    /// A bare position: a game with no moves from this board.
    pub fn of_board(board: Board) -> GameRecord {
        GameRecord::of(History::new(board))
    }

    /// The player of this colour.
    pub fn player(&self, color: Color) -> &PlayerInfo {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// The player of this colour, to change.
    pub fn player_mut(&mut self, color: Color) -> &mut PlayerInfo {
        match color {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }

    /// The note on the `index`-th move, from 0.
    pub fn note(&self, index: usize) -> Note {
        self.notes.get(index).copied().unwrap_or_default()
    }

    /// The recorded result, or else the score of the board if the game is over.
    pub fn result_or_score(&self) -> Option<GameResult> {
        let finished = || GameResult::scored(self.history.board().final_score_for_black());
        self.result.or_else(|| self.history.is_over().then(finished))
    }

    /// Adds a move and its note, passing first for a side that must.
    ///
    /// # Errors
    /// If the move is illegal even so.
    pub fn push(&mut self, played: Move, note: Note) -> Result<(), IllegalMove> {
        self.history.play_passing(played)?;
        self.annotate_last(note);
        Ok(())
    }

    /// Adds a move recorded for a colour. A side that must pass passes first; passes written after
    /// the end of the game are ignored.
    ///
    /// # Errors
    /// If the move is illegal or it is not that colour's turn.
    pub fn push_colored(&mut self, color: Color, played: Move, note: Note) -> Result<(), Fault> {
        let Board { position, turn } = self.history.board();
        if played == Move::Pass && position.is_over() {
            return Ok(());
        }
        if turn != color {
            if !position.must_pass() {
                let number = self.history.moves().len() + 1;
                return Err(Fault::WrongTurn { number, recorded: color });
            }
            self.history.play(Move::Pass)?;
        }
        self.history.play(played)?;
        self.annotate_last(note);
        Ok(())
    }

    /// Puts a note on the last move, filling up with empty notes only when it says something.
    fn annotate_last(&mut self, note: Note) {
        if note != Note::default() {
            self.notes.resize(self.history.moves().len() - 1, Note::default());
            self.notes.push(note);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::othello::Square;
    use crate::othello::random::{random_move, random_position, seeded};
    use proptest::prelude::*;

    /// A random game of up to `plies` plies, from the usual start or from a random board.
    pub(crate) fn random_history(seed: u64, plies: usize, usual_start: bool) -> History {
        let mut rng = seeded(seed);
        let mut history = if usual_start {
            History::default()
        } else {
            let turn = if seed.is_multiple_of(2) { Color::Black } else { Color::White };
            History::new(Board { position: random_position((seed % 61) as u32, &mut rng), turn })
        };
        while history.moves().len() < plies {
            match random_move(history.board().position, &mut rng) {
                Some(chosen) => history.play(chosen).unwrap(),
                None => break,
            }
        }
        history
    }

    pub(crate) fn any_history() -> impl Strategy<Value = History> {
        (any::<u64>(), 0usize..80, any::<bool>())
            .prop_map(|(seed, plies, usual)| random_history(seed, plies, usual))
    }

    /// Text as people put it into records: no brackets, no control characters, trimmed.
    fn any_text() -> impl Strategy<Value = String> {
        "[ -Z^-~é期]{0,12}".prop_map(|text| text.trim().to_owned())
    }

    fn any_note() -> impl Strategy<Value = Note> {
        let number = || {
            prop_oneof![
                Just(None),
                (-6400i32..6400).prop_map(|n| Some(f64::from(n) / 100.0)),
                (-1e6..1e6f64).prop_map(Some),
            ]
        };
        (number(), number()).prop_map(|(eval, seconds)| Note { eval, seconds })
    }

    fn any_player() -> impl Strategy<Value = PlayerInfo> {
        let rating = proptest::option::of(0.0..4000.0f64);
        let clock = proptest::option::of(crate::record::clock::tests::any_clock());
        (any_text(), rating, clock).prop_map(|(name, rating, clock)| PlayerInfo {
            name,
            rating,
            clock,
        })
    }

    fn any_result() -> impl Strategy<Value = GameResult> {
        let margin = prop_oneof![
            (-64i32..=64).prop_map(|discs| Margin::Discs(f64::from(discs))),
            (-64.0..64.0f64).prop_map(Margin::Discs),
        ];
        let ending = prop_oneof![
            Just(Ending::Scored),
            Just(Ending::Resigned),
            Just(Ending::TimeOut),
            Just(Ending::Agreed),
            Just(Ending::Left),
        ];
        (margin, ending).prop_map(|(margin, ending)| GameResult { margin, ending })
    }

    fn any_komi() -> impl Strategy<Value = Komi> {
        let bid = || {
            let square = (0u8..64).prop_map(|index| Move::Place(Square::new(index).unwrap()));
            proptest::option::of(
                (square, any_note()).prop_map(|(played, note)| Bid { played, note }),
            )
        };
        (-64.0..64.0f64, bid(), bid()).prop_map(|(value, black_bid, white_bid)| Komi {
            value: Some(value),
            black_bid,
            white_bid,
        })
    }

    /// A record with everything GGF can keep.
    pub(crate) fn any_record() -> impl Strategy<Value = GameRecord> {
        let texts = (any_text(), any_text(), any_text(), any_text());
        let players = (any_player(), any_player());
        let rest = (any_result(), proptest::option::of(any_komi()));
        let notes = proptest::collection::vec(any_note(), 80);
        (any_history(), players, texts, rest, notes).prop_map(
            |(history, (black, white), (place, date, event, comment), (result, komi), notes)| {
                let mut record = GameRecord::of(history);
                let moves = record.history.moves().len();
                for (index, &note) in notes.iter().take(moves).enumerate() {
                    if note != Note::default() {
                        record.notes.resize(index, Note::default());
                        record.notes.push(note);
                    }
                }
                GameRecord {
                    black,
                    white,
                    place,
                    date,
                    event,
                    comment,
                    game_type: "8".to_owned(),
                    komi,
                    result: Some(result),
                    ..record
                }
            },
        )
    }

    #[test]
    fn passes_are_inserted_by_colour_and_wrong_colours_named() {
        let mut record = GameRecord::default();
        record.push_colored(Color::Black, "f5".parse().unwrap(), Note::default()).unwrap();
        let error = record
            .push_colored(Color::Black, "d6".parse().unwrap(), Note::default())
            .unwrap_err()
            .to_string();
        assert_eq!(error, "move 2 is recorded for black, but white is to move and can");
    }

    #[test]
    fn notes_stay_beside_their_moves_when_passes_are_inserted() {
        let history = (0..)
            .map(|seed| random_history(seed, 80, true))
            .find(|game| game.moves().contains(&Move::Pass))
            .unwrap();
        let mut record = GameRecord::default();
        let placed = history.moves().iter().filter(|&&m| m != Move::Pass);
        for (index, &played) in placed.enumerate() {
            record.push(played, Note { eval: Some(index as f64), seconds: None }).unwrap();
        }
        let mut seen = 0.0;
        for (index, &played) in record.history.moves().iter().enumerate() {
            assert_eq!(record.note(index).eval, (played != Move::Pass).then_some(seen));
            seen += if played == Move::Pass { 0.0 } else { 1.0 };
        }
    }
}
