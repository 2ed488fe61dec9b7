//! What the book knows about one position, and how it stands in a file.
//!
//! A record has 48 bytes, little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 0–7, 8–15 | discs of the mover and of the opponent, bit 0 = a1, in canonical form |
//! | 16–19 | value, negamaxed over the book |
//! | 20–23 | value that a search of the position itself found |
//! | 24–27 | value of the best move that leads out of the book |
//! | 28 | that move: 0 = a1 … 63 = h8, 64 pass, 65 none |
//! | 29 | bit 0: the position came from a learnt game |
//! | 30–31 | zero |
//! | 32–47 | games won, drawn and lost by the mover, and lines counted by other programs, 4 bytes each |
//!
//! A value is a score in hundredths of a disc (2 bytes, signed; −32768 if there is none), the depth
//! of the search behind it in plies, and its confidence in per cent: 0 for an estimate, 100 if exact.

use serde::Serialize;

use crate::othello::{Bitboard, Move, Position, Square};
use crate::score::Score;
use crate::search::{Certainty, Line};

/// Bytes of a record.
pub(super) const RECORD: usize = 48;
/// What stands for no value.
const NO_SCORE: i16 = i16::MIN;
/// What stands for a pass and for no move at all.
const PASS: u8 = 64;
const NO_MOVE: u8 = 65;
/// Confidence of a proven score.
const EXACT: u8 = 100;
/// Greatest depth, plies.
pub(super) const DEEPEST: u8 = 60;

/// A score and how much is behind it, from the mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Value {
    /// In discs.
    pub score: Score,
    /// Plies that were searched.
    pub depth: u8,
    /// Per cent: 0 for an estimate, 100 if the score is exact.
    pub confidence: u8,
}

impl Value {
    /// What a search of this depth found.
    pub fn of_line(line: &Line, depth: u32) -> Value {
        let confidence = match line.certainty {
            Certainty::Estimate | Certainty::Outcome => 0,
            Certainty::Probable(percent) => percent.min(EXACT - 1),
            Certainty::Exact => EXACT,
        };
        Value { score: line.score, depth: depth.min(DEEPEST.into()) as u8, confidence }
    }

    /// The final score of a finished game.
    pub fn exact(score: Score) -> Value {
        Value { score, depth: 0, confidence: EXACT }
    }

    /// Whether the score is proven.
    pub fn is_exact(self) -> bool {
        self.confidence == EXACT
    }

    /// Whether the result is proven to be a loss.
    pub fn is_known_loss(self) -> bool {
        self.is_exact() && self.score < Score::default()
    }

    /// What decides between two values: a known win comes before every estimate and every estimate
    /// before a known loss, so that a lost game is not repeated while anything else is left to try.
    pub fn rank(self) -> i32 {
        const KNOWN: i32 = 20_000;
        let hundredths = self.score.hundredths();
        if self.is_exact() { hundredths + hundredths.signum() * KNOWN } else { hundredths }
    }

    /// The same for the side that moved here.
    #[must_use]
    pub fn one_ply_up(self) -> Value {
        Value { score: -self.score, depth: (self.depth + 1).min(DEEPEST), ..self }
    }

    /// The same, seen after the move that was valued.
    #[must_use]
    pub fn one_ply_down(self) -> Value {
        Value { score: -self.score, depth: self.depth.saturating_sub(1), ..self }
    }

    /// How certain, in the words of a search.
    pub fn certainty(self) -> Certainty {
        match self.confidence {
            0 => Certainty::Estimate,
            EXACT => Certainty::Exact,
            percent => Certainty::Probable(percent),
        }
    }

    fn bytes(value: Option<Value>) -> [u8; 4] {
        let (score, depth, confidence) = match value {
            Some(value) => (value.score.hundredths() as i16, value.depth, value.confidence),
            None => (NO_SCORE, 0, 0),
        };
        let [low, high] = score.to_le_bytes();
        [low, high, depth, confidence]
    }

    /// `Err` if it is no value.
    fn of_bytes(bytes: [u8; 4]) -> Result<Option<Value>, BadRecord> {
        let [low, high, depth, confidence] = bytes;
        let hundredths = i16::from_le_bytes([low, high]);
        if hundredths == NO_SCORE {
            return if (depth, confidence) == (0, 0) { Ok(None) } else { Err(BadRecord) };
        }
        let score = Score::from_hundredths(hundredths.into());
        let valid =
            score.hundredths() == i32::from(hundredths) && depth <= DEEPEST && confidence <= EXACT;
        if valid { Ok(Some(Value { score, depth, confidence })) } else { Err(BadRecord) }
    }
}

/// The best move that leads out of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The move, in the canonical form of its position.
    pub played: Move,
    /// Its value for the mover.
    pub value: Value,
}

/// How games through a position ended, from its mover's view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Results {
    /// Won by the mover.
    pub wins: u32,
    /// Drawn.
    pub draws: u32,
    /// Lost by the mover.
    pub losses: u32,
}

impl Results {
    /// All games.
    pub fn games(self) -> u32 {
        self.wins.saturating_add(self.draws).saturating_add(self.losses)
    }

    /// One more game with this result for the mover.
    pub fn add(&mut self, discs: i32) {
        let count = self.of(discs);
        *count = count.saturating_add(1);
    }

    /// One game less.
    pub fn subtract(&mut self, discs: i32) {
        let count = self.of(discs);
        *count = count.saturating_sub(1);
    }

    fn of(&mut self, discs: i32) -> &mut u32 {
        match discs.signum() {
            1 => &mut self.wins,
            0 => &mut self.draws,
            _ => &mut self.losses,
        }
    }
}

/// What the book knows about a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its value over everything in the book; `None` until something was searched.
    pub value: Option<Value>,
    /// What a search of the position itself found, all moves considered.
    pub searched: Option<Value>,
    /// The best move that leads out of the book.
    pub alternative: Option<Alternative>,
    /// Results of the games that passed here.
    pub results: Results,
    /// Lines through the position as other programs count them.
    pub lines: u32,
    /// Whether a learnt game brought the position in.
    pub learnt: bool,
}

/// Bytes that are no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BadRecord;

/// The number of a move in this and in other programs' files.
pub(super) fn move_number(played: Option<Move>) -> u8 {
    match played {
        Some(Move::Place(square)) => square.index() as u8,
        Some(Move::Pass) => PASS,
        None => NO_MOVE,
    }
}

/// The move of a number; `Err` if there is none of that number.
pub(super) fn move_of_number(number: u8) -> Result<Option<Move>, BadRecord> {
    match number {
        PASS => Ok(Some(Move::Pass)),
        NO_MOVE => Ok(None),
        _ => Square::new(number).map(|square| Some(square.into())).ok_or(BadRecord),
    }
}

impl Entry {
    /// The record of this entry.
    pub(super) fn record(&self, position: Position) -> [u8; RECORD] {
        let mut record = [0; RECORD];
        let mut at = 0;
        let mut put = |bytes: &[u8]| {
            record[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
        };
        put(&position.mover().0.to_le_bytes());
        put(&position.opponent().0.to_le_bytes());
        put(&Value::bytes(self.value));
        put(&Value::bytes(self.searched));
        put(&Value::bytes(self.alternative.map(|alternative| alternative.value)));
        put(&[move_number(self.alternative.map(|a| a.played)), u8::from(self.learnt), 0, 0]);
        let Results { wins, draws, losses } = self.results;
        for count in [wins, draws, losses, self.lines] {
            put(&count.to_le_bytes());
        }
        record
    }

    /// Reads a record.
    pub(super) fn of_record(record: &[u8; RECORD]) -> Result<(Position, Entry), BadRecord> {
        let position = position_of(record).ok_or(BadRecord)?;
        let four = |at: usize| [record[at], record[at + 1], record[at + 2], record[at + 3]];
        let value = Value::of_bytes(four(16))?;
        let searched = Value::of_bytes(four(20))?;
        let alternative = match (move_of_number(record[28])?, Value::of_bytes(four(24))?) {
            (Some(played), Some(value)) => Some(Alternative { played, value }),
            (None, None) => None,
            _ => return Err(BadRecord),
        };
        if record[29] > 1 || record[30] != 0 || record[31] != 0 {
            return Err(BadRecord);
        }
        let count = |at: usize| u32::from_le_bytes(four(at));
        let results = Results { wins: count(32), draws: count(36), losses: count(40) };
        let learnt = record[29] == 1;
        Ok((position, Entry { value, searched, alternative, results, lines: count(44), learnt }))
    }
}

/// The two sets of discs of a record, as they order records.
pub(super) fn key_of(record: &[u8; RECORD]) -> (u64, u64) {
    let word = |at: usize| {
        record[at..].first_chunk().map_or(0, |word: &[u8; 8]| u64::from_le_bytes(*word))
    };
    (word(0), word(8))
}

/// The position of a record.
pub(super) fn position_of(record: &[u8; RECORD]) -> Option<Position> {
    let (mover, opponent) = key_of(record);
    Position::new(Bitboard(mover), Bitboard(opponent)).ok()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::othello::random::random_position;
    use crate::othello::symmetry::canonical;
    use crate::random::{Random, seeded};
    use rand::Rng;

    pub(in crate::book) fn any_value(rng: &mut Random) -> Value {
        Value {
            score: Score::from_hundredths(rng.random_range(-6400..=6400)),
            depth: rng.random_range(0..=60),
            confidence: [0, 73, 98, 100][rng.random_range(0..4)],
        }
    }

    pub(in crate::book) fn any_entry(rng: &mut Random) -> (Position, Entry) {
        let position = canonical(random_position(rng.random_range(1..60), rng)).0;
        let played = position.children().next().map(|(played, _)| played);
        let entry = Entry {
            value: Some(any_value(rng)),
            searched: rng.random_bool(0.8).then(|| any_value(rng)),
            alternative: played.map(|played| Alternative { played, value: any_value(rng) }),
            results: Results { wins: rng.random(), draws: 3, losses: rng.random() },
            lines: rng.random(),
            learnt: rng.random(),
        };
        (position, entry)
    }

    #[test]
    fn every_entry_survives_its_record() {
        let mut rng = seeded(5);
        for _ in 0..2000 {
            let (position, entry) = any_entry(&mut rng);
            assert_eq!(Entry::of_record(&entry.record(position)), Ok((position, entry)));
        }
        let nothing = Entry::default();
        let record = nothing.record(Position::START);
        assert_eq!(Entry::of_record(&record), Ok((Position::START, nothing)));
    }

    #[test]
    fn any_bytes_are_a_record_that_can_be_written_again_or_none() {
        let mut rng = seeded(6);
        let mut valid = 0;
        for _ in 0..20_000 {
            let (position, entry) = any_entry(&mut rng);
            let mut record = entry.record(position);
            record[rng.random_range(0..RECORD)] = rng.random();
            if let Ok((position, entry)) = Entry::of_record(&record) {
                assert_eq!(entry.record(position), record);
                valid += 1;
            }
        }
        assert!((1000..20_000).contains(&valid));
    }

    #[test]
    fn a_known_loss_ranks_below_and_a_known_win_above_every_estimate() {
        let estimate = |discs| Value { score: Score::whole(discs), depth: 9, confidence: 0 };
        let known = |discs| Value::exact(Score::whole(discs));
        let mut values = [estimate(-64), known(2), known(-2), known(0), estimate(64), known(-20)];
        values.sort_by_key(|value| value.rank());
        assert_eq!(
            values,
            [known(-20), known(-2), estimate(-64), known(0), estimate(64), known(2)]
        );
        for value in values {
            assert_eq!(value.one_ply_up().rank(), -value.rank());
        }
    }
}
