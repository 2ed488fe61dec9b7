//! Position files of version 1 as version 2: positions that follow from each other become a game.

use std::path::Path;

use serde::Serialize;

use super::games::{Game, Label, Ply};
use super::positions::{self, GameWriter, PositionsError, Scored, Source};
use crate::eval::UNIT;
use crate::othello::{Position, Square};
use crate::record::whole_file;

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Upgraded {
    /// Games, or parts of games, written.
    pub games: u64,
    /// Positions in them.
    pub positions: u64,
}

#[derive(Serialize)]
struct Settings {
    made_by: &'static str,
}

/// Writes the positions of a file of version 1 to a new file of version 2.
///
/// # Errors
/// If one of them cannot be used; nothing is left of the new one then.
pub fn upgrade(old: &Path, new: &Path) -> Result<Upgraded, PositionsError> {
    let scored = positions::read_version_1(old)?;
    let games = games(&scored);
    let write = |partial: &Path| {
        let settings = Settings { made_by: "kitai convert, from version 1" };
        let (mut writer, _) = GameWriter::open(partial, &settings, |_| Ok(()))?;
        games.iter().try_for_each(|game| writer.write(game))?;
        writer.sync()
    };
    let io = |source| PositionsError::Io { file: new.to_owned(), source };
    whole_file::written_by(new, write, io)?;
    Ok(Upgraded { games: games.len() as u64, positions: scored.len() as u64 })
}

/// The games that the positions are made of, in order.
pub fn games(scored: &[Scored]) -> Vec<Game> {
    let mut games: Vec<Game> = Vec::new();
    for (index, one) in scored.iter().enumerate() {
        let follows = |last: &Scored| last.game == one.game && step(last, one).is_some();
        let goes_on = index > 0 && follows(&scored[index - 1]);
        if !goes_on {
            games.push(Game::new(one.game));
        }
        let next = scored.get(index + 1).filter(|next| next.game == one.game);
        let played = next.and_then(|next| step(one, next)).or_else(|| final_move(one));
        let label = Label { score: one.score, source: one.source, depth: one.depth };
        if let Some(game) = games.last_mut() {
            game.push(Ply::new(one.position, Some(label), played));
        }
    }
    games.iter_mut().for_each(Game::finish);
    games
}

/// The move that leads from one position to the other.
fn step(from: &Scored, to: &Scored) -> Option<Square> {
    step_between(from.position, to.position)
}

pub(super) fn step_between(from: Position, to: Position) -> Option<Square> {
    let new = from.empties().0 & !to.empties().0;
    if new.count_ones() != 1 {
        return None;
    }
    let square = Square::lowest_of(new);
    let after = from.play(square)?;
    let next = if after.must_pass() { after.pass() } else { after };
    (next == to).then_some(square)
}

/// A move that ends the game with the exact score of the position.
fn final_move(one: &Scored) -> Option<Square> {
    if one.source != Source::Exact {
        return None;
    }
    one.position.legal_moves().into_iter().find(|&square| {
        one.position.play(square).is_some_and(|after| {
            after.is_over() && -after.final_score() * UNIT == i32::from(one.score)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::seeded;
    use crate::training::games::tests::any_game;
    use crate::training::positions::tests::{TempFile, unmarked, version_1};

    #[test]
    fn the_same_positions_stand_in_the_new_file() {
        let (old, new) = (TempFile::new("upgrade-1"), TempFile::new("upgrade-2"));
        let mut rng = seeded(6);
        let scored = unmarked((0..60).map(|_| any_game(&mut rng)));
        std::fs::write(&old.0, version_1(&scored)).unwrap();
        let upgraded = upgrade(&old.0, &new.0).unwrap();
        assert_eq!(upgraded.positions as usize, scored.len());
        assert!(upgraded.games < upgraded.positions / 4);
        assert_eq!(positions::read(&new.0).unwrap(), scored);
        assert!(upgrade(&new.0, &old.0).is_err());
    }
}
