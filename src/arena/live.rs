//! The games under way, for those who watch: a small file beside the log, replaced as a whole some
//! times a second and removed at the end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::player::{Contestant, Fault, GameStart, Reply, Turn};
use crate::record::{Board, History, whole_file};

/// Pause between two writings of the file.
const PAUSE: Duration = Duration::from_millis(300);

/// A game under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiveGame {
    /// Number in the plan, from 1.
    pub number: usize,
    /// Name of the player with Black.
    pub black: String,
    /// Name of the player with White.
    pub white: String,
    /// Start board if not the usual one, then the moves so far.
    pub game: String,
    /// Each mover's last opinion in discs, for Black and White.
    pub evals: [Option<f64>; 2],
}

/// The table of games under way.
#[derive(Default)]
pub struct LiveGames {
    table: Mutex<Table>,
    ended: Condvar,
}

#[derive(Default)]
struct Table {
    games: BTreeMap<usize, LiveGame>,
    is_new: bool,
    has_ended: bool,
}

impl LiveGames {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A game is at this point.
    fn put(&self, game: LiveGame) {
        let mut table = self.lock();
        table.games.insert(game.number, game);
        table.is_new = true;
    }

    /// A game is over.
    pub(super) fn remove(&self, number: usize) {
        let mut table = self.lock();
        table.games.remove(&number);
        table.is_new = true;
    }

    /// Ends [`LiveGames::keep`].
    pub(super) fn end(&self) {
        self.lock().has_ended = true;
        self.ended.notify_all();
    }

    /// Writes the file whenever something has changed, until the match ends; then removes it. A file
    /// that cannot be written is no reason to end a match.
    pub(super) fn keep(&self, path: &PathBuf) {
        let mut table = self.lock();
        while !table.has_ended {
            if std::mem::take(&mut table.is_new) {
                let games: Vec<LiveGame> = table.games.values().cloned().collect();
                drop(table);
                let text = serde_json::to_vec(&games).unwrap_or_default();
                if let Err(error) = whole_file::write(path, &text) {
                    tracing::warn!(%error, "the games under way cannot be written");
                }
                table = self.lock();
                if table.has_ended {
                    break;
                }
            }
            table =
                self.ended.wait_timeout(table, PAUSE).map_or_else(|e| e.into_inner().0, |t| t.0);
        }
        drop(table);
        let _ = std::fs::remove_file(path);
    }
}

/// A player whose game others may watch: the table hears of every move before it is answered.
pub(super) struct Watched<'a> {
    pub player: &'a mut dyn Contestant,
    pub table: &'a LiveGames,
    pub number: usize,
    pub names: [&'a str; 2],
}

impl Contestant for Watched<'_> {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Fault> {
        self.player.start(game)
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Reply, Fault> {
        let history = turn.game.history();
        let last = |parity: usize| {
            let plies = history.moves().len();
            (0..plies)
                .rev()
                .skip(parity)
                .step_by(2)
                .find_map(|ply| turn.game.record().note(ply).eval)
        };
        // The last mover is the one who is not to move now.
        let (other, own) = (last(0), last(1));
        let evals = match turn.color {
            crate::othello::Color::Black => [own, other],
            crate::othello::Color::White => [other, own],
        };
        self.table.put(LiveGame {
            number: self.number,
            black: self.names[0].to_owned(),
            white: self.names[1].to_owned(),
            game: as_text(history),
            evals,
        });
        self.player.choose(turn)
    }

    fn discard(&mut self) {
        self.player.discard();
    }
}

fn as_text(history: &History) -> String {
    let moves: String = history.moves().iter().map(ToString::to_string).collect();
    let start = history.start();
    if start == Board::START { moves } else { format!("{start} {moves}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_games_under_way_comes_and_goes() {
        let path = std::env::temp_dir().join(format!("kitai-live-{}.json", std::process::id()));
        let table = LiveGames::default();
        let game = LiveGame {
            number: 3,
            black: "a".to_owned(),
            white: "b".to_owned(),
            game: "f5d6".to_owned(),
            evals: [Some(1.5), None],
        };
        table.put(game.clone());
        std::thread::scope(|scope| {
            let keeping = scope.spawn(|| table.keep(&path));
            let read = || serde_json::from_slice::<Vec<LiveGame>>(&std::fs::read(&path).ok()?).ok();
            while read() != Some(vec![game.clone()]) {
                assert!(!keeping.is_finished());
                std::thread::yield_now();
            }
            table.end();
        });
        assert!(!path.exists());
    }
}
