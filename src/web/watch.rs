//! Following the log of a match that was named on the command line, for the pages that ask.
//!
//! The log is read on a thread of its own when it has grown and somebody watches; the longer it
//! takes to read, the longer the pause before the next time.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::arena::follow::{self, Followed};
use crate::arena::live::LiveGame;
use crate::arena::replay::ReplayGame;
use crate::files;

/// Pause between two looks at the log.
const PAUSE: Duration = Duration::from_millis(400);
/// The pause is at least so many times as long as reading took.
const READING_SHARE: u32 = 10;
/// Games listed; the newest ones.
const MOST_LISTED: usize = 300;
/// Bytes of the file of games under way.
const LARGEST_LIVE: u64 = 1 << 20;

/// A watched match. Cloning shares it.
#[derive(Clone)]
pub(super) struct Watcher(Arc<Shared>);

struct Shared {
    path: PathBuf,
    states: watch::Sender<Value>,
    followed: Mutex<Option<Followed>>,
}

/// A finished game in the list.
#[derive(Serialize)]
struct Listed {
    number: usize,
    black: String,
    white: String,
    half_points: u8,
    discs: Option<i32>,
    ending: String,
}

/// What tells whether a file has changed.
type Stamp = [Option<(u64, SystemTime)>; 2];

impl Watcher {
    pub(super) fn new(path: &Path) -> Watcher {
        let states = watch::Sender::new(json!({ "waiting": true }));
        Watcher(Arc::new(Shared { path: path.to_owned(), states, followed: Mutex::new(None) }))
    }

    /// The state now.
    pub(super) fn state(&self) -> Value {
        self.0.states.borrow().clone()
    }

    /// The states to come.
    pub(super) fn changes(&self) -> watch::Receiver<Value> {
        self.0.states.subscribe()
    }

    /// A finished game, its number from 1.
    pub(super) fn game(&self, number: usize) -> Option<Value> {
        let followed = self.0.followed.lock().unwrap_or_else(PoisonError::into_inner);
        let game = followed.as_ref()?.games.get(&number.checked_sub(1)?)?;
        serde_json::to_value(ReplayGame::of(game)).ok()
    }

    /// Looks at the log again and again while anybody listens.
    pub(super) fn follow(
        &self,
        mut shutdown: watch::Receiver<bool>,
    ) -> impl Future<Output = ()> + Send + 'static {
        let shared = self.0.clone();
        async move {
            let mut seen: Option<Stamp> = None;
            let mut pause = PAUSE;
            loop {
                tokio::select! {
                    _ = shutdown.wait_for(|&now| now) => return,
                    () = tokio::time::sleep(pause) => {}
                }
                if shared.states.receiver_count() == 0 {
                    continue;
                }
                let began = Instant::now();
                let (own, known) = (shared.clone(), seen);
                let looked = tokio::task::spawn_blocking(move || own.look(known)).await;
                let Ok(looked) = looked else { continue };
                seen = Some(looked);
                pause = PAUSE.max(began.elapsed() * READING_SHARE);
            }
        }
    }
}

impl Shared {
    /// Reads what has changed since `seen`.
    fn look(&self, seen: Option<Stamp>) -> Stamp {
        let live_path = follow::live_path(&self.path);
        let stamp = [&self.path, &live_path].map(|path| {
            let meta = std::fs::metadata(path).ok()?;
            Some((meta.len(), meta.modified().ok()?))
        });
        if seen == Some(stamp) {
            return stamp;
        }
        let mut held = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut problem = None;
        if seen.is_none_or(|seen| seen[0] != stamp[0]) {
            // The lock is not held while the file is read.
            drop(held);
            let read = follow::read(&self.path);
            held = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
            match read {
                Ok(followed) => *held = Some(followed),
                Err(error) => problem = Some(error.to_string()),
            }
        }
        let live = files::read(&live_path, LARGEST_LIVE).ok();
        let live: Vec<LiveGame> =
            live.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        let state = match (&*held, problem) {
            (_, Some(problem)) => json!({ "problem": problem }),
            (None, None) => json!({ "waiting": true }),
            (Some(followed), None) => state(followed, &live),
        };
        self.states.send_replace(state);
        stamp
    }
}

fn state(followed: &Followed, live: &[LiveGame]) -> Value {
    let newest: Vec<Listed> = followed
        .games
        .values()
        .rev()
        .take(MOST_LISTED)
        .map(|game| {
            let game = ReplayGame::of(game);
            Listed {
                number: game.number,
                black: game.black,
                white: game.white,
                half_points: game.half_points,
                discs: game.discs,
                ending: game.ending,
            }
        })
        .collect();
    let standing = followed.standing();
    json!({
        "settings": followed.settings,
        "complete": standing.is_complete(),
        "standing": standing,
        "live": live,
        "games": newest,
    })
}
