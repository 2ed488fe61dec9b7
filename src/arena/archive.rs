//! Finished games as GGF, with every move's evaluation and time.

use super::FaultKind;
use super::clock::TimeControl;
use super::logged::LoggedGame;
use super::plan::Plan;
use super::referee::{Ending, Side};
use crate::othello::Color;
use crate::record::{self, ClockSettings, GameRecord, GameResult, Margin, Note, Period};

/// The game as a record; `None` if its moves are not legal (a log changed by hand).
pub fn record(plan: &Plan, game: &LoggedGame) -> Option<GameRecord> {
    let history = game.history(plan)?;
    let opening_plies = plan.openings[plan.game(game.game).opening].history.moves().len();
    let mut record = GameRecord::of(history);
    record.place = "Kitai".to_owned();
    record.black.name.clone_from(&game.black);
    record.white.name.clone_from(&game.white);
    let clock = clock(plan.rules.control);
    (record.black.clock, record.white.clock) = (clock, clock);
    record.result = Some(result(game));
    if let Ending::Failed(_, fault) = &game.ending {
        record.comment = format!("{}: {}", fault.kind.name(), fault.detail);
    }
    record.notes = vec![Note::default(); opening_plies];
    record.notes.extend(game.times.iter().enumerate().map(|(index, &time)| Note {
        eval: game.evals.get(index).copied().flatten(),
        seconds: Some((time / 10.0).round() / 100.0),
    }));
    Some(record)
}

fn clock(control: TimeControl) -> Option<ClockSettings> {
    match control {
        // GGF has no clock per move.
        TimeControl::None | TimeControl::PerMove(_) => None,
        TimeControl::PerGame { main, increment } => Some(ClockSettings {
            increment: Some(Period { time: increment, ..Period::default() }),
            ..ClockSettings::of(main)
        }),
    }
}

fn result(game: &LoggedGame) -> GameResult {
    let lost_by =
        |side: &Side| Margin::WonBy(if *side == Side::Black { Color::White } else { Color::Black });
    match &game.ending {
        Ending::Finished | Ending::Adjudicated => GameResult::scored(game.discs.unwrap_or(0)),
        Ending::Opinions(None) => {
            GameResult { margin: Margin::Discs(0.0), ending: record::Ending::Agreed }
        }
        Ending::Opinions(Some(side)) | Ending::Resigned(side) => {
            GameResult { margin: lost_by(side), ending: record::Ending::Resigned }
        }
        Ending::Failed(side, fault) => GameResult {
            margin: lost_by(side),
            ending: match fault.kind {
                FaultKind::TimeOut | FaultKind::Hang => record::Ending::TimeOut,
                _ => record::Ending::Left,
            },
        },
    }
}
