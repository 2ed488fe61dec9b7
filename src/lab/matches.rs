//! Matches of the lab: plans from the specifications of players, and scores with their standard
//! errors.

use std::time::Duration;

use super::bench::LabError;
use super::verdict::Figure;
use crate::arena::clock::TimeControl;
use crate::arena::standing::{Games, PairingResult};
use crate::arena::{Kind, OpeningSource, Plan, PlayerSpec, Rules, Standing};
use crate::statistics::elo::from_score;

/// Who meets whom.
pub enum Pairings {
    /// These players, by index.
    Listed(Vec<(usize, usize)>),
    /// Everyone.
    RoundRobin,
    /// The first so many players are anchors: they meet each other, and every other player meets
    /// each of them and is rated by that.
    Anchored(usize),
}

/// The plan of a match without a clock.
///
/// # Errors
/// If a player or the openings cannot be had.
pub fn plan(
    specs: &[String],
    pairings: Pairings,
    opening_source: &str,
    rounds: usize,
    seed: u64,
) -> Result<Plan, LabError> {
    let players: Result<Vec<PlayerSpec>, _> =
        specs.iter().map(|spec| PlayerSpec::parse(spec)).collect();
    let openings = OpeningSource::parse(opening_source)?.openings(rounds, seed)?;
    let (pairings, anchors) = match pairings {
        Pairings::Listed(pairings) => (pairings, Vec::new()),
        Pairings::RoundRobin => (Kind::RoundRobin.pairings(specs.len()), Vec::new()),
        Pairings::Anchored(count) => {
            let anchors: Vec<usize> = (0..count).collect();
            let mut pairings = Kind::RoundRobin.pairings(count);
            for player in count..specs.len() {
                pairings.extend(anchors.iter().map(|&anchor| (player, anchor)));
            }
            (pairings, anchors)
        }
    };
    Ok(Plan {
        players: players?,
        pairings,
        rounds,
        openings,
        opening_source: opening_source.to_owned(),
        // Without a clock the margin is never asked; no move of these players takes an hour.
        rules: Rules {
            control: TimeControl::None,
            margin: Duration::ZERO,
            patience: Duration::from_secs(3600),
            adjudicate: None,
            resign: None,
            draw: None,
        },
        seed,
        sprt: None,
        anchors,
        zero: None,
    })
}

/// Points and games of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Points, a draw half of one.
    pub points: f64,
    /// Games.
    pub games: f64,
}

impl Score {
    /// Of the first player of a pairing.
    pub fn of(result: &PairingResult) -> Score {
        Score { points: result.wins as f64 + result.draws as f64 / 2.0, games: result.games as f64 }
    }

    /// Of this player with Black against that one.
    pub fn as_black(games: &Games, black: &str, white: &str) -> Score {
        let mut score = Score::default();
        for game in games.values().filter(|game| game.black == black && game.white == white) {
            score.points += f64::from(game.half_points) / 2.0;
            score.games += 1.0;
        }
        score
    }

    /// In per cent, with its standard error as if every game were won or lost.
    pub fn percent(&self) -> Figure {
        if self.games == 0.0 {
            return Figure::default();
        }
        Figure::ours(100.0 * self.share(), 100.0 * self.error())
    }

    fn share(&self) -> f64 {
        self.points / self.games.max(1.0)
    }

    /// Standard error of the share; one more game of each kind keeps it above zero.
    fn error(&self) -> f64 {
        let share = (self.points + 1.0) / (self.games + 2.0);
        (share * (1.0 - share) / self.games.max(1.0)).sqrt()
    }
}

/// The standard error of a printed percentage of so many games.
pub fn percent_error(percent: f64, games: f64) -> f64 {
    100.0 * Score { points: games * percent / 100.0, games }.error()
}

/// A player's rating against the anchors of the plan, as the 2017 paper rates: the figure and the
/// standard error that the paper's 100 games against each would have.
pub fn anchored_rating(standing: &Standing, anchors: usize, name: &str) -> Option<(Figure, f64)> {
    let player = standing.players.iter().find(|player| player.name == name)?;
    let rating = player.paper?;
    let anchors: Vec<&str> =
        standing.players[..anchors].iter().map(|anchor| anchor.name.as_str()).collect();
    let mut information = 0.0;
    let mut games = 0.0;
    for pairing in standing.pairings.iter().filter(|pairing| pairing.first == name) {
        if anchors.contains(&pairing.second.as_str()) {
            information += pairing.score * (1.0 - pairing.score);
            games = pairing.games as f64;
        }
    }
    // Elo a point of score is worth where scores are even, over the weights of the average.
    let error = |games: f64| elo_per_logit() / (games * information).sqrt();
    Some((Figure::ours(rating, error(games)), error(100.0)))
}

/// 400 / ln 10: what a unit of log odds is in Elo.
fn elo_per_logit() -> f64 {
    from_score(1.0 / (1.0 + (-1.0f64).exp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_meet_each_other_and_everybody_meets_them() {
        let specs: Vec<String> = (0..5).map(|n| format!("depth=1,name=p{n}")).collect();
        let plan = plan(&specs, Pairings::Anchored(2), "start", 3, 1).unwrap();
        assert_eq!(plan.pairings, [(0, 1), (2, 0), (2, 1), (3, 0), (3, 1), (4, 0), (4, 1)]);
        assert_eq!((plan.games(), plan.anchors.len()), (42, 2));
    }

    #[test]
    fn percentages_have_the_binomial_error_and_never_none() {
        let half = Score { points: 50.0, games: 100.0 }.percent();
        assert!((half.error.unwrap() - 5.0).abs() < 0.01, "{half:?}");
        assert!(percent_error(0.0, 100.0) > 0.5);
        assert_eq!(Score::default().percent(), Figure::default());
    }

    #[test]
    fn a_unit_of_log_odds_is_173_elo() {
        assert!((elo_per_logit() - 173.717_79).abs() < 1e-4);
    }
}
