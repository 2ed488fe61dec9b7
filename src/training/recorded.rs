//! Positions from recorded games, as the 2002 experiments take them; the lab and the measuring of
//! sigma share them.

use std::path::PathBuf;

use rand::seq::SliceRandom;

use crate::othello::Position;
use crate::random::seeded;
use crate::record::{self, History, OpenError};

/// Games read, and how many could not be.
#[derive(Default)]
pub struct Games {
    /// The games, in the order of the files.
    pub games: Vec<History>,
    /// Records that could not be read and were left out.
    pub bad: usize,
}

/// Reads all games of these files.
///
/// # Errors
/// If a file cannot be opened or is of no known format. Bad records are counted, not fatal.
pub fn read_games(files: &[PathBuf]) -> Result<Games, OpenError> {
    let mut read = Games::default();
    for file in files {
        for record in record::open(file)? {
            match record {
                Ok(record) => read.games.push(record.history),
                Err(_) => read.bad += 1,
            }
        }
    }
    Ok(read)
}

/// The position after this many discs were played (the board has four more), the side that can
/// move on turn; `None` for shorter games and games that end there.
pub fn after_discs(game: &History, discs: u32) -> Option<Position> {
    let board = game.boards().iter().find(|board| board.position.empty_count() + discs == 60)?;
    let position = board.position;
    if position.has_move() { Some(position) } else { position.must_pass().then(|| position.pass()) }
}

/// At most `count` of the games' positions after so many discs, chosen at random by seed.
pub fn sample(games: &[History], discs: u32, count: usize, seed: u64) -> Vec<Position> {
    let mut positions: Vec<Position> =
        games.iter().filter_map(|game| after_discs(game, discs)).collect();
    positions.shuffle(&mut seeded(seed));
    positions.truncate(count);
    positions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::random_move;
    use crate::testdata::shared_data;

    #[test]
    fn positions_have_the_discs_asked_for_and_a_side_that_can_move() {
        let mut rng = seeded(3);
        let mut passes = 0;
        for _ in 0..300 {
            let mut game = History::default();
            while let Some(chosen) = random_move(game.board().position, &mut rng) {
                game.play(chosen).unwrap();
            }
            for discs in [0, 20, 50, 54, 60] {
                if let Some(position) = after_discs(&game, discs) {
                    assert_eq!(position.empty_count(), 60 - discs);
                    assert!(position.has_move());
                    let boards = game.boards();
                    let met = boards.iter().any(|board| board.position == position);
                    let met_passed = boards.iter().any(|board| board.position.pass() == position);
                    assert!(met || met_passed);
                    passes += usize::from(!met);
                }
            }
        }
        // A forced pass is a board of its own in a history: the first board of that many discs may
        // be the one before it.
        assert!(passes < 300);
    }

    #[test]
    #[ignore = "needs shared data (KITAI_DATA)"]
    fn a_year_of_tournament_games_is_read_whole_with_shared_data() {
        let file = shared_data("wthor/WTH_1990.wtb");
        let read = read_games(&[file]).unwrap();
        assert_eq!((read.games.len(), read.bad), (2986, 0));
        assert!(sample(&read.games, 54, 10_000, 1).len() > 2_000);
        assert_eq!(sample(&read.games, 54, 100, 1), sample(&read.games, 54, 100, 1));
        assert!(read_games(&["games.pdf".into()]).is_err());
    }
}
