//! Answers to questions: they change nothing and wait for nothing, so each is a function of what
//! it is asked about.

use super::grammar::COMMANDS;
use super::writer;
use crate::engine::catalogue::catalogue;
use crate::options::Options;
use crate::record::{Board, GameRecord, History, sgf};

/// The reply to a command: a text or an error message; `None` when a search will reply.
pub(super) type Answer = Option<Result<String, String>>;

pub(super) fn done() -> Answer {
    Some(Ok(String::new()))
}

pub(super) fn text(text: impl Into<String>) -> Answer {
    Some(Ok(text.into()))
}

pub(super) fn error(message: impl ToString) -> Answer {
    Some(Err(message.to_string()))
}

/// Success, or an error if something is not so.
pub(super) fn done_if(holds: bool, otherwise: &str) -> Answer {
    if holds { done() } else { error(otherwise) }
}

/// `known_command`.
pub(super) fn known_command(name: &str) -> Answer {
    text(COMMANDS.iter().any(|(known, _)| *known == name).to_string())
}

/// `list_commands`.
pub(super) fn list_commands() -> Answer {
    text(COMMANDS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join("\n"))
}

/// `set_game`.
pub(super) fn set_game(name: &str) -> Answer {
    let known = ["othello", "reversi"].contains(&name.to_ascii_lowercase().as_str());
    done_if(known, "unsupported game")
}

/// `printsgf`.
pub(super) fn print_sgf(history: &History) -> Answer {
    text(one_line(&sgf::write(&GameRecord::of(history.clone()))))
}

/// `final_score`.
pub(super) fn final_score(board: Board) -> Answer {
    if !board.position.is_over() {
        return error("cannot score");
    }
    text(writer::score(board.final_score_for_black()))
}

/// `gogui-rules_final_result`.
pub(super) fn final_result(board: Board) -> Answer {
    if !board.position.is_over() {
        return error("the game is not over");
    }
    text(writer::result_text(board))
}

/// `gogui-rules_legal_moves`.
pub(super) fn legal_moves(board: Board) -> Answer {
    let moves: Vec<String> =
        board.position.children().map(|(played, _)| writer::vertex(played)).collect();
    text(moves.join(" "))
}

/// `kitai-options`.
pub(super) fn options(values: &Options) -> Answer {
    let lines: Vec<String> = catalogue()
        .entries()
        .iter()
        .map(|entry| entry.spec)
        .map(|spec| format!("{} = {} ({})", spec.name, values.value(spec), spec.kind.expected()))
        .collect();
    text(lines.join("\n"))
}

/// A text of any shape on one line.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
