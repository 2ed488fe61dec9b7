//! Games with a score for every move, as training keeps them: about 90 bytes each.
//!
//! A record of a position file (version 2) is one game as a row of bits, lowest bit first:
//!
//! | bits | content |
//! |---|---|
//! | 4 | another start than the usual; the game's number is stated (else one more than the last); the result is stated; the last move is not known |
//! | 6 | plies: positions, each with the move played in it |
//! | 6 | the first so many moves were random and have no scores |
//! | 6, then 6 each | how many later moves were random, and which plies they are |
//! | 64, then 1 per disc | another start: its discs, and which of them are the mover's |
//! | 32 | the number, if stated |
//! | 8 | the result in discs for the first mover, if stated; else the board says it at the end |
//! | 9 or 16 per run | plies after the opening whose scores are alike: source (0 search, 1 exact, 2 result, 3 no score; 2 bits), length − 1 (6), and unless 3 the depth (6) and whether all are whole discs (1) |
//! | 4 + 4 | Rice parameters of the other scores and of those in whole discs, if there are scores |
//! | per ply | the score, coded; then the move: its place among the legal ones, in as few bits as that many need |
//!
//! A score is coded as its difference from what the score before it says, seen from the other side:
//! signs folded into the lowest bit, then a Rice code; after [`super::coding::ESCAPE`] ones, 16 plain bits.
//! Forced passes are not recorded. Replaying a game takes about as long as generating its moves.

use super::bits::{BitReader, BitWriter};
use super::coding::{
    fold, from_nth_bit, put_position, put_rice, rice_length, take_position, take_rice, unfold,
    width,
};
use super::positions::{Scored, Source};
use crate::eval::UNIT;
use crate::othello::{Position, Square};

/// The highest score in evaluation units.
const HIGHEST: i32 = 64 * UNIT;
/// A run without scores.
const NO_SCORE: u32 = 3;

/// What a position is worth, as the file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// For the mover in 1/128 disc.
    pub score: i16,
    /// Where the score comes from.
    pub source: Source,
    /// Depth of the search that gave it, 0 if none.
    pub depth: u8,
}

/// A position of a game and what was played there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The position; after the first one its mover can move.
    pub position: Position,
    /// Whether its mover is the one who moved first.
    pub first_mover: bool,
    /// What it is worth, if known.
    pub label: Option<Label>,
    /// The move; `None` only at the last ply, if it is not known.
    pub played: Option<Square>,
    /// Whether the move was drawn at random.
    pub random: bool,
}

impl Ply {
    /// A ply; where it stands in the game is filled in by [`Game::push`].
    pub fn new(position: Position, label: Option<Label>, played: Option<Square>) -> Ply {
        Ply { position, first_mover: true, label, played, random: false }
    }

    /// The position in which the next move is made, and whether a pass came between.
    fn next(&self) -> Option<(Position, bool)> {
        let after = self.position.play(self.played?)?;
        Some(if after.must_pass() { (after.pass(), true) } else { (after, false) })
    }
}

/// A game, or part of one.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Game {
    /// Its number; positions of one number belong together when positions are split.
    pub number: u32,
    /// The positions in order.
    pub plies: Vec<Ply>,
    /// The final score for the first mover in discs, if known. A game played to its end has it
    /// from the board.
    pub result: Option<i8>,
}

/// Why a game cannot be coded or read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// A move that is not legal, or a ply that is not the next.
    #[error("ply {0} does not follow from the one before it")]
    Sequence(usize),
    /// More plies than a game can have, or none.
    #[error("{0} plies")]
    Length(usize),
    /// Too high a score or depth.
    #[error("ply {0}: score or depth out of range")]
    Label(usize),
    /// The bits do not make a game.
    #[error("not a game")]
    Bits,
}

impl Game {
    /// A game with this number and nothing in it.
    pub fn new(number: u32) -> Game {
        Game { number, ..Game::default() }
    }

    /// Adds a ply, saying whose turn it is.
    pub fn push(&mut self, ply: Ply) {
        let first_mover = match self.plies.last() {
            None => true,
            Some(last) => {
                let passed = last.next().is_some_and(|(_, passed)| passed);
                last.first_mover == passed
            }
        };
        self.plies.push(Ply { first_mover, ..ply });
    }

    /// How many plies at the start were played at random without being scored.
    pub fn opening(&self) -> usize {
        self.plies.iter().take_while(|ply| ply.random && ply.label.is_none()).count()
    }

    /// The first ply after the last random move. From here on the result of the game says what
    /// the positions were worth in play without random moves.
    pub fn settled_from(&self) -> usize {
        self.plies.iter().rposition(|ply| ply.random).map_or(0, |last| last + 1)
    }

    /// The result for the mover of a ply, in discs.
    pub fn result_at(&self, ply: usize) -> Option<i8> {
        let result = self.result?;
        Some(if self.plies.get(ply)?.first_mover { result } else { -result })
    }

    /// The positions that have a score.
    pub fn scored(&self) -> impl Iterator<Item = Scored> {
        self.plies.iter().filter_map(|ply| {
            let Label { score, source, depth } = ply.label?;
            let (position, random) = (ply.position, ply.random);
            Some(Scored { position, score, source, depth, game: self.number, random })
        })
    }

    /// The result that the board shows after the last move.
    fn result_on_board(&self) -> Option<i8> {
        let last = self.plies.last()?;
        let (position, passed) = last.next()?;
        if !position.is_over() {
            return None;
        }
        let score = position.final_score() as i8;
        Some(if last.first_mover == passed { score } else { -score })
    }

    /// Fills in the result if the game was played to its end.
    pub fn finish(&mut self) {
        self.result = self.result_on_board().or(self.result);
    }

    fn check(&self) -> Result<(), GameError> {
        if self.plies.is_empty() || self.plies.len() > 63 {
            return Err(GameError::Length(self.plies.len()));
        }
        for (index, ply) in self.plies.iter().enumerate() {
            if let Some(Label { score, depth, .. }) = ply.label
                && (i32::from(score).abs() > HIGHEST || depth > 63)
            {
                return Err(GameError::Label(index));
            }
            let last = index + 1 == self.plies.len();
            let follows = match (ply.played, ply.next()) {
                (None, _) => last,
                (Some(_), None) => false,
                (Some(_), Some(_)) if last => true,
                (Some(_), Some((next, passed))) => {
                    let after = &self.plies[index + 1];
                    after.position == next && after.first_mover == (ply.first_mover == passed)
                }
            };
            if !follows {
                return Err(GameError::Sequence(index));
            }
        }
        Ok(())
    }

    /// The game as a record that comes after game `number − 1`.
    ///
    /// # Errors
    /// If the plies do not follow from each other or a number is out of range.
    pub fn encode(&self, number: u32) -> Result<Vec<u8>, GameError> {
        self.check()?;
        let mut out = BitWriter::default();
        let (plies, opening) = (&self.plies, self.opening());
        let odd_start = plies[0].position != Position::START;
        let numbered = self.number != number;
        let stated = self.result.filter(|_| self.result_on_board().is_none());
        let open = plies.last().is_some_and(|ply| ply.played.is_none());
        for flag in [odd_start, numbered, stated.is_some(), open] {
            out.put(flag.into(), 1);
        }
        out.put(plies.len() as u32, 6);
        out.put(opening as u32, 6);
        let random = || (opening..plies.len()).filter(|&index| plies[index].random);
        out.put(random().count() as u32, 6);
        random().for_each(|index| out.put(index as u32, 6));
        if odd_start {
            put_position(&mut out, plies[0].position);
        }
        if numbered {
            out.put(self.number, 32);
        }
        if let Some(result) = stated {
            out.put(u32::from(result as u8), 8);
        }
        let runs = runs(&plies[opening..]);
        runs.iter().for_each(|run| run.put(&mut out));
        let codes = self.codes(opening, &runs);
        let parameters = [false, true].map(|whole| best_parameter(&codes, whole));
        if codes.iter().any(Option::is_some) {
            parameters.iter().for_each(|&parameter| out.put(parameter, 4));
        }
        for (ply, code) in plies.iter().zip(&codes) {
            if let Some(Code { folded, whole }) = *code {
                put_rice(&mut out, folded, parameters[usize::from(whole)]);
            }
            if let Some(square) = ply.played {
                let legal = ply.position.legal_moves().0;
                let place = (legal & (square.bit() - 1)).count_ones();
                out.put(place, width(legal.count_ones()));
            }
        }
        Ok(out.finish())
    }

    /// The folded difference of every score from its prediction.
    fn codes(&self, opening: usize, runs: &[Run]) -> Vec<Option<Code>> {
        let mut codes = vec![None; opening];
        let mut prediction = Prediction::default();
        self.plies[..opening].iter().for_each(|ply| prediction.pass_on(ply));
        let mut plies = self.plies[opening..].iter();
        for run in runs {
            for ply in plies.by_ref().take(run.length as usize) {
                codes.push(ply.label.map(|label| {
                    let score = i32::from(label.score);
                    let difference = if run.whole {
                        score / UNIT - prediction.whole()
                    } else {
                        score - prediction.0
                    };
                    prediction.0 = score;
                    Code { folded: fold(difference), whole: run.whole }
                }));
                prediction.pass_on(ply);
            }
        }
        codes
    }

    /// Reads a record that comes after game `number − 1` into this game.
    ///
    /// # Errors
    /// If the bits make no game.
    pub fn decode(&mut self, record: &[u8], number: u32) -> Result<(), GameError> {
        let mut input = BitReader::new(record);
        let [odd_start, numbered, stated, open] = std::array::from_fn(|_| input.take(1) == 1);
        let (length, opening) = (input.take(6) as usize, input.take(6) as usize);
        if length == 0 || opening > length {
            return Err(GameError::Bits);
        }
        let mut random: u64 = (1 << opening) - 1;
        for _ in 0..input.take(6) {
            random |= 1 << input.take(6);
        }
        let mut position = match odd_start {
            true => take_position(&mut input),
            false => Position::START,
        };
        self.number = if numbered { input.take(32) } else { number };
        self.result = stated.then(|| input.take(8) as u8 as i8);
        let mut runs = [Run::default(); 64];
        let (mut used, mut covered) = (0, opening);
        while covered < length {
            runs[used] = Run::take(&mut input);
            covered += runs[used].length as usize;
            used += 1;
        }
        if covered > length {
            return Err(GameError::Bits);
        }
        let scored = runs[..used].iter().any(|run| run.source.is_some());
        let parameters = if scored { [input.take(4), input.take(4)] } else { [0; 2] };
        let mut runs = runs[..used].iter();
        let mut run = Run { length: opening as u32, ..Run::default() };
        let mut prediction = Prediction::default();
        let mut first_mover = true;
        self.plies.clear();
        for index in 0..length {
            while run.length == 0 {
                run = *runs.next().ok_or(GameError::Bits)?;
            }
            run.length -= 1;
            let mut label = None;
            if let Some(source) = run.source {
                let difference = unfold(take_rice(&mut input, parameters[usize::from(run.whole)]));
                let score = match run.whole {
                    true => (prediction.whole() + difference) * UNIT,
                    false => prediction.0 + difference,
                };
                if score.abs() > HIGHEST {
                    return Err(GameError::Bits);
                }
                prediction.0 = score;
                label = Some(Label { score: score as i16, source, depth: run.depth });
            }
            let random = random >> index & 1 == 1;
            let mut ply = Ply { position, first_mover, label, played: None, random };
            if index + 1 < length || !open {
                let legal = position.legal_moves().0;
                let count = legal.count_ones();
                let place = input.take(width(count));
                if place >= count {
                    return Err(GameError::Bits);
                }
                let square = Square::lowest_of(from_nth_bit(legal, place));
                ply.played = Some(square);
                position = position.play_flipping(square, position.flips(square));
                let passed = !position.has_move() && position.pass().has_move();
                if passed {
                    position = position.pass();
                } else {
                    first_mover = !first_mover;
                    prediction.0 = -prediction.0;
                }
            }
            self.plies.push(ply);
        }
        self.finish();
        if input.is_at_end() { Ok(()) } else { Err(GameError::Bits) }
    }
}

/// What the next score should be, in evaluation units.
#[derive(Clone, Copy, Default)]
struct Prediction(i32);

impl Prediction {
    /// Rounded to discs.
    fn whole(self) -> i32 {
        (self.0 + UNIT / 2).div_euclid(UNIT)
    }

    /// Turns it around for the next ply.
    fn pass_on(&mut self, ply: &Ply) {
        if ply.next().is_some_and(|(_, passed)| !passed) {
            self.0 = -self.0;
        }
    }
}

/// A score as it is coded.
#[derive(Clone, Copy)]
struct Code {
    folded: u32,
    whole: bool,
}

/// Plies whose scores are alike.
#[derive(Clone, Copy, Default, PartialEq)]
struct Run {
    source: Option<Source>,
    depth: u8,
    whole: bool,
    length: u32,
}

impl Run {
    fn put(&self, out: &mut BitWriter) {
        out.put(self.source.map_or(NO_SCORE, |source| source as u32), 2);
        out.put(self.length - 1, 6);
        if self.source.is_some() {
            out.put(self.depth.into(), 6);
            out.put(self.whole.into(), 1);
        }
    }

    fn take(input: &mut BitReader<'_>) -> Run {
        let source = match input.take(2) {
            0 => Some(Source::Search),
            1 => Some(Source::Exact),
            2 => Some(Source::Result),
            _ => None,
        };
        let length = input.take(6) + 1;
        match source {
            None => Run { length, ..Run::default() },
            _ => Run { source, length, depth: input.take(6) as u8, whole: input.take(1) == 1 },
        }
    }
}

fn runs(plies: &[Ply]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for ply in plies {
        let run = ply.label.map_or_else(Run::default, |label| Run {
            source: Some(label.source),
            depth: label.depth,
            // Searched scores are hardly ever whole discs; one that is must not part a run.
            whole: label.source != Source::Search && i32::from(label.score) % UNIT == 0,
            length: 0,
        });
        match runs.last_mut() {
            Some(last) if (Run { length: 0, ..*last }) == run => last.length += 1,
            _ => runs.push(Run { length: 1, ..run }),
        }
    }
    runs
}

/// The parameter that codes these scores in the fewest bits.
fn best_parameter(codes: &[Option<Code>], whole: bool) -> u32 {
    let length = |parameter: &u32| -> u32 {
        let these = codes.iter().flatten().filter(|code| code.whole == whole);
        these.map(|code| rice_length(code.folded, *parameter)).sum()
    };
    (0..16).min_by_key(length).unwrap_or(0)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::othello::Move;
    use crate::othello::random::{random_move, random_position};
    use crate::random::{Random, seeded};
    use proptest::prelude::*;
    use rand::Rng;

    /// Any game: from any start, with any scores, to the end or part of the way.
    pub(in crate::training) fn any_game(rng: &mut Random) -> Game {
        let mut game = Game::new(rng.random_range(0..4) * rng.random_range(0..1 << 30));
        let mut position = match rng.random() {
            true => Position::START,
            false => random_position(rng.random_range(1..=60), rng),
        };
        let opening = rng.random_range(0..20);
        let most = rng.random_range(1..70);
        let mut source = Source::Search;
        while !position.is_over() && game.plies.len() < most {
            if position.must_pass() {
                position = position.pass();
            }
            let in_opening = game.plies.len() < opening;
            if rng.random_bool(0.1) {
                source = [Source::Search, Source::Exact, Source::Result][rng.random_range(0..3)];
            }
            let score = match source {
                Source::Search => rng.random_range(-8192..=8192) >> rng.random_range(0..8),
                _ => rng.random_range(-64..=64) * 128,
            };
            let labelled = !in_opening && rng.random_bool(0.9);
            let label = labelled.then(|| Label { score, source, depth: rng.random_range(0..64) });
            let chosen = random_move(position, rng).and_then(Move::square);
            let played = chosen.filter(|_| game.plies.len() + 1 < most || rng.random());
            let random = in_opening || rng.random_bool(0.1);
            game.push(Ply { random, ..Ply::new(position, label, played) });
            let Some(square) = played else { break };
            position = position.play(square).unwrap();
        }
        if rng.random() {
            game.result = Some(rng.random_range(-64..=64));
        }
        game.finish();
        game
    }

    #[test]
    fn any_game_comes_back_as_it_was() {
        let mut rng = seeded(21);
        for _ in 0..2000 {
            let game = any_game(&mut rng);
            if game.plies.is_empty() {
                assert_eq!(game.encode(0), Err(GameError::Length(0)));
                continue;
            }
            let number = rng.random_range(0..2) * game.number;
            let record = game.encode(number).unwrap();
            assert!(record.len() <= super::super::positions::GAMES.longest);
            let mut again = any_game(&mut rng);
            again.decode(&record, number).unwrap();
            assert_eq!(again, game);
        }
    }

    #[test]
    fn plies_that_do_not_follow_and_numbers_out_of_range_are_refused() {
        let mut game = Game::new(0);
        let start = Position::START;
        let f5 = "f5".parse().unwrap();
        game.push(Ply::new(start, None, Some(f5)));
        game.push(Ply::new(start, None, None));
        assert_eq!(game.encode(0), Err(GameError::Sequence(0)));
        let mut game = Game::new(0);
        game.push(Ply::new(start, None, "a1".parse().ok()));
        assert_eq!(game.encode(0), Err(GameError::Sequence(0)));
        let label = Label { score: 8193, source: Source::Exact, depth: 0 };
        let mut game = Game::new(0);
        game.push(Ply::new(start, Some(label), Some(f5)));
        assert_eq!(game.encode(0), Err(GameError::Label(0)));
    }

    #[test]
    fn the_result_is_told_from_each_mover_s_side() {
        // The shortest game: White is wiped out at the ninth move.
        let mut game = Game::new(0);
        let mut position = Position::START;
        for square in ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"] {
            let played: Square = square.parse().unwrap();
            game.push(Ply::new(position, None, Some(played)));
            position = position.play(played).unwrap();
        }
        game.plies[3].random = true;
        game.finish();
        assert_eq!(game.result, Some(64));
        assert_eq!((game.result_at(0), game.result_at(7)), (Some(64), Some(-64)));
        assert_eq!((game.opening(), game.settled_from()), (0, 4));
        assert!(game.encode(0).unwrap().len() < 10);
    }

    proptest! {
        #[test]
        fn any_bytes_give_a_game_or_an_error(bytes: Vec<u8>, number: u32) {
            let mut game = Game::default();
            if game.decode(&bytes, number).is_ok() {
                prop_assert_eq!(game.check(), Ok(()));
            }
        }
    }
}
