//! OBF, the Othello Board File of problem sets: a board, then moves with their scores.
//!
//! One problem a line: `<64 squares> <side>; MOVE:SCORE; … % comment`. Scores are disc differences
//! for the side to move, empties to the winner. A lone score instead of moves is the value of the
//! board. `--:-127` is a marker some sets end their lines with, and means nothing.

use std::io::BufRead;

use nom::Parser;
use nom::bytes::complete::{take_till, take_while};
use nom::character::complete::{char, multispace0};
use nom::combinator::{map, opt};
use nom::sequence::{preceded, separated_pair, terminated};

use super::grammar::{Parsed, named, number, run, trimmed};
use super::stream::{Lines, located};
use super::{Board, Fault, GameRecord, RecordError};
use crate::othello::Move;
use crate::score::Score;

/// The marker's score: no board has it.
const MARKER: &str = "-127";

/// A position with the known scores of its moves.
#[derive(Clone, PartialEq, Debug)]
pub struct Problem {
    /// The position to solve.
    pub board: Board,
    /// Moves and their scores for the side to move, in the order of the file.
    pub answers: Vec<(Move, Score)>,
    /// The score of the board, where the line gives it without moves.
    pub value: Option<Score>,
    /// What stands after `%`, trimmed.
    pub comment: String,
}

impl Problem {
    /// The best score of the listed moves, or the score of the board.
    pub fn best_score(&self) -> Option<Score> {
        self.answers.iter().map(|answer| answer.1).max().or(self.value)
    }

    /// Every listed move with the best score: any of them solves the problem.
    pub fn best_moves(&self) -> Vec<Move> {
        let best = self.best_score();
        self.answers.iter().filter(|answer| Some(answer.1) == best).map(|answer| answer.0).collect()
    }
}

impl From<Problem> for GameRecord {
    fn from(problem: Problem) -> GameRecord {
        let mut record = GameRecord::of_board(problem.board);
        record.answers = problem.answers;
        record.value = problem.value;
        record.comment = problem.comment;
        record
    }
}

impl From<&GameRecord> for Problem {
    /// The last board of the game.
    fn from(record: &GameRecord) -> Problem {
        Problem {
            board: record.history.board(),
            answers: record.answers.clone(),
            value: record.value,
            comment: record.comment.clone(),
        }
    }
}

/// One entry after the board.
enum Entry<'a> {
    Answer { played: &'a str, score: &'a str },
    Value(&'a str),
}

/// `MOVE:SCORE;` or `SCORE;`, the last semicolon optional.
fn entry(input: &str) -> Parsed<'_, Entry<'_>> {
    fn word(input: &str) -> Parsed<'_, &str> {
        take_while(|c: char| !matches!(c, ':' | ';' | '%') && !c.is_whitespace()).parse(input)
    }
    let blank = multispace0;
    let answer = map(separated_pair(word, (blank, char(':'), blank), word), |(played, score)| {
        Entry::Answer { played, score }
    });
    let value = map(word, Entry::Value);
    let end = named("`;` after the score", map((multispace0, opt(char(';'))), |_| ()));
    terminated(nom::branch::alt((answer, value)), end).parse(input)
}

/// Reads one line; comments and blank lines give `None`.
///
/// # Errors
/// If the line is no problem, or lists a move that is illegal on its board.
pub fn parse(line: &str) -> Result<Option<Problem>, RecordError> {
    let text = trimmed(line);
    let (body, comment) = text.split_once('%').unwrap_or((text, ""));
    if body.trim().is_empty() {
        return Ok(None);
    }
    let (rest, board_text) = run(take_till(|c| c == ';'), body)?;
    let board: Board =
        board_text.parse().map_err(|error| Fault::Board(error).before(board_text, line))?;
    let mut problem =
        Problem { board, answers: Vec::new(), value: None, comment: comment.trim().to_owned() };
    let (mut rest, _) = run(preceded(opt(char(';')), multispace0), rest)?;
    while !rest.is_empty() {
        let here = rest;
        let at = |fault: Fault| fault.before(here, line);
        let (after, found) =
            entry(rest).map_err(|_| at(Fault::expected("MOVE:SCORE; or SCORE;", here)))?;
        if after.len() == here.len() {
            return Err(at(Fault::expected("MOVE:SCORE; or SCORE;", here)));
        }
        match found {
            Entry::Answer { played: "--", score: MARKER } => {}
            Entry::Answer { played, score } => {
                let played = legal_answer(board, played).map_err(at)?;
                let score = disc_score(score).map_err(at)?;
                problem.answers.push((played, score));
            }
            Entry::Value(score) if problem.value.is_none() => {
                problem.value = Some(disc_score(score).map_err(at)?);
            }
            Entry::Value(_) => return Err(at(Fault::expected("one score or MOVE:SCORE;", here))),
        }
        rest = after.trim_start();
    }
    Ok(Some(problem))
}

fn legal_answer(board: Board, text: &str) -> Result<Move, Fault> {
    let wanted = "a legal move of the side to move";
    let played: Move = text.parse().map_err(|_| Fault::bad_value("move", text, wanted))?;
    match board.position.after(played) {
        Some(_) => Ok(played),
        None => Err(Fault::bad_value("move", text, wanted)),
    }
}

fn disc_score(text: &str) -> Result<Score, Fault> {
    number(text)
        .filter(|discs| discs.abs() <= 64.0)
        .map(Score::from_discs)
        .ok_or_else(|| Fault::bad_value("score", text, "discs from -64 to +64"))
}

/// The problem as one line.
pub fn write(problem: &Problem) -> String {
    let score = |score: Score| {
        if score.hundredths() % 100 == 0 {
            format!("{:+}", score.hundredths() / 100)
        } else {
            score.to_string()
        }
    };
    let mut text = format!("{};", problem.board);
    if let Some(value) = problem.value {
        text.push_str(&format!(" {};", score(value)));
    }
    for &(played, value) in &problem.answers {
        text.push_str(&format!(" {}:{};", played.to_string().to_uppercase(), score(value)));
    }
    let comment: String =
        problem.comment.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if !comment.trim().is_empty() {
        text.push_str(&format!(" % {}", comment.trim()));
    }
    text
}

/// The problems of a file, one line in memory at a time.
pub fn read(input: impl BufRead) -> impl Iterator<Item = Result<Problem, RecordError>> {
    Lines::new(input).filter_map(|line| match line {
        Ok((number, text)) => located(parse(&text), number).transpose(),
        Err(error) => Some(Err(error)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_position, seeded};
    use proptest::prelude::*;

    const LINE: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; \
         G8:+18; h1:+12; H7:+18; --:-127; % FFO #1";

    #[test]
    fn a_problem_reads_with_its_best_moves() {
        let problem = parse(LINE).unwrap().unwrap();
        assert_eq!(problem.answers.len(), 3);
        assert_eq!(problem.best_score(), Some(Score::whole(18)));
        let best: Vec<String> = problem.best_moves().iter().map(|m| m.to_string()).collect();
        assert_eq!(best, ["g8", "h7"]);
        assert_eq!(problem.comment, "FFO #1");
        let lone = parse(&format!("{} +12;", &LINE[..67])).unwrap().unwrap();
        assert_eq!(lone.best_score(), Some(Score::whole(12)));
        assert!(lone.best_moves().is_empty());
    }

    #[test]
    fn comments_and_blank_lines_are_no_problems() {
        for line in ["", "  \r", "% a comment", "\u{feff}", "\0"] {
            assert_eq!(parse(line).unwrap(), None, "{line:?}");
        }
    }

    #[test]
    fn control_characters_of_a_comment_are_written_as_blanks_inside_it_only() {
        let mut problem = parse(LINE).unwrap().unwrap();
        problem.comment = "\x07one\ntwo\0".to_owned();
        assert!(write(&problem).ends_with("; % one two"));
    }

    #[test]
    fn bad_lines_say_what_is_wrong_and_where() {
        let error = |tail: &str| parse(&format!("{}{tail}", &LINE[..67])).unwrap_err().to_string();
        assert_eq!(
            error(" a1:+2;"),
            "line 1, column 69: move[a1]: expected a legal move of the side to move"
        );
        assert!(error(" G8:+65;").contains("score[+65]: expected discs from -64 to +64"));
        assert!(error(" G8:;").contains("score[]"));
        assert!(error(" +1; +2;").contains("expected one score"));
        assert!(error(" :").contains("move[]"));
        assert!(parse("XXX").unwrap_err().to_string().contains("64 squares"));
    }

    #[test]
    fn a_file_reports_its_bad_lines_by_number_and_goes_on() {
        let file = format!("{LINE}\r\n\r\nnonsense\n% comment\n{LINE}");
        let read: Vec<_> = read(file.as_bytes()).collect();
        assert_eq!(read.len(), 3);
        assert!(read[0].is_ok() && read[2].is_ok());
        let error = read[1].as_ref().unwrap_err().to_string();
        assert!(error.starts_with("line 3, column 1: character 1: `n` is no square"), "{error}");
    }

    proptest! {
        #[test]
        fn writing_and_reading_is_the_identity(
            seed in any::<u64>(),
            empties in 0u32..=60,
            white in any::<bool>(),
            scores in proptest::collection::vec(-6400i32..=6400, 40),
            value in proptest::option::of(-64i32..=64),
            comment in "[ -~]{0,20}",
        ) {
            let position = random_position(empties, &mut seeded(seed));
            let turn = if white { crate::othello::Color::White } else { crate::othello::Color::Black };
            let answers = position
                .children()
                .zip(scores)
                .map(|((played, _), score)| (played, Score::from_hundredths(score)))
                .collect();
            let problem = Problem {
                board: Board { position, turn },
                answers,
                value: value.map(Score::whole),
                comment: comment.trim().to_owned(),
            };
            prop_assert_eq!(parse(&write(&problem)).unwrap(), Some(problem));
        }

        #[test]
        fn any_text_gives_a_problem_or_an_error(tail in "[XO;: +\\-0-9G8%]{0,40}") {
            let _ = parse(&format!("{}{tail}", &LINE[..66]));
        }
    }
}
