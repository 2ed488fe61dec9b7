//! How the server prints clocks, boards and games.

use kitai::othello::{Color, Square};
use kitai::record::{Board, ClockSettings};

/// `MM:SS`, `HH:MM:SS`, `D.HH:MM:SS`, with a sign below zero.
pub(crate) fn time(seconds: f64) -> String {
    let sign = if seconds < 0.0 { "-" } else { "" };
    let total = seconds.abs() as u64;
    let (days, hours) = (total / 86_400, total / 3_600 % 24);
    let (minutes, seconds) = (total / 60 % 60, total % 60);
    if days > 0 {
        format!("{sign}{days}.{hours:02}:{minutes:02}:{seconds:02}")
    } else if hours > 0 {
        format!("{sign}{hours:02}:{minutes:02}:{seconds:02}")
    } else {
        format!("{sign}{minutes:02}:{seconds:02}")
    }
}

/// A clock as requests and starting positions show it.
pub(crate) fn settings(clock: &ClockSettings) -> String {
    let part = |part: Option<kitai::record::Period>| {
        part.filter(|part| !part.time.is_zero()).map_or(String::new(), |part| part.to_string())
    };
    format!("{}/{}/{}", clock.main, part(clock.increment), part(clock.extension))
}

/// A running clock.
pub(crate) fn running(clock: &ClockSettings, left: f64, made: usize) -> String {
    let part = |part: Option<kitai::record::Period>| {
        part.filter(|part| !part.time.is_zero())
            .map_or(String::new(), |part| format!("{},{made}:0", time(part.time.as_secs_f64())))
    };
    format!("{},{made}:0/{}/{}", time(left), part(clock.increment), part(clock.extension))
}

/// The eight rows with their frame, and whose move it is.
pub(crate) fn board(board: Board) -> Vec<String> {
    let symbol = |square| match board.at(square) {
        Some(Color::Black) => '*',
        Some(Color::White) => 'O',
        None => '-',
    };
    let mut lines = vec![String::new(), "   A B C D E F G H".to_owned()];
    for row in 0..8u8 {
        let squares: String = (0..8u8)
            .map(|column| format!(" {}", symbol(Square::at(column, row).unwrap())))
            .collect();
        lines.push(format!("{:2}{squares} {:<2}", row + 1, row + 1));
    }
    lines.push("   A B C D E F G H".to_owned());
    lines.push(String::new());
    lines.push(format!("{} to move", if board.turn == Color::Black { '*' } else { 'O' }));
    lines
}
