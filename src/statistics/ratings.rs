//! Ratings of many players from all their games together (Bradley–Terry).
//!
//! The model: player i scores E(r_i − r_j) against j, a draw is half a win. Ratings are those of
//! greatest posterior likelihood with mean 0; the prior is a number of virtual draws that every
//! player plays, shared among its opponents in proportion to the games with them, which keeps
//! ratings finite for players that won or lost everything. Two draws is the convention of the
//! Bayesian rating programs, none gives the plain maximum-likelihood ("ordinary least surprise")
//! ratings. Intervals come from the curvature at the maximum.

use serde::Serialize;

use super::elo::expected_score;
use super::normal::Z95;

/// Virtual draws per player of the usual Bayesian prior.
pub const PRIOR_DRAWS: f64 = 2.0;

/// Newton steps at most; it converges in about six.
const MAX_STEPS: u32 = 200;
/// Steps stop when no rating moves more than this, in Elo.
const TOLERANCE: f64 = 1e-9;
/// Longest step in Elo, against overshooting from far away.
const MAX_MOVE: f64 = 400.0;

/// Weight in games of what holds the level of the ratings; far below one game.
const TRACE: f64 = 1e-6;

/// A player's rating.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// Elo, all players' mean (or one chosen player) being 0.
    pub elo: f64,
    /// Half the width of the 95 % interval relative to that zero.
    pub margin: f64,
}

/// What two players scored against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Index of the first player.
    pub first: usize,
    /// Index of the second.
    pub second: usize,
    /// Points of the first.
    pub points: f64,
    /// Games between them.
    pub games: f64,
}

/// Rates `players` players from their meetings, their mean being 0. Players without a game get 0
/// with an infinite margin.
pub fn rate(players: usize, meetings: &[Meeting], prior_draws: f64) -> Vec<Rating> {
    rate_from(players, meetings, prior_draws, None)
}

/// The same with one player's rating as the zero of the scale and of the intervals.
pub fn rate_from(
    players: usize,
    meetings: &[Meeting],
    prior_draws: f64,
    zero: Option<usize>,
) -> Vec<Rating> {
    let meetings = with_prior(players, meetings, prior_draws);
    let mut elo = vec![0.0; players];
    for _ in 0..MAX_STEPS {
        let (gradient, curvature) = derivatives(&elo, &meetings);
        let Some(step) = solve(curvature, gradient) else { break };
        let longest = step.iter().fold(0.0f64, |most, s| most.max(s.abs()));
        let scale = if longest > MAX_MOVE { MAX_MOVE / longest } else { 1.0 };
        for (rating, s) in elo.iter_mut().zip(&step) {
            *rating += scale * s;
        }
        if longest < TOLERANCE {
            break;
        }
    }
    let zero_weights: Vec<f64> = match zero {
        Some(zero) => (0..players).map(|i| if i == zero { 1.0 } else { 0.0 }).collect(),
        None => vec![1.0 / players.max(1) as f64; players],
    };
    let level: f64 = elo.iter().zip(&zero_weights).map(|(elo, weight)| elo * weight).sum();
    let (_, curvature) = derivatives(&elo, &meetings);
    (0..players)
        .map(|i| {
            let played = meetings.iter().any(|m| m.first == i || m.second == i);
            // The variance of this contrast of ratings: u C u, C the inverse of the curvature.
            let mut contrast: Vec<f64> = zero_weights.iter().map(|weight| -weight).collect();
            contrast[i] += 1.0;
            let variance = solve(curvature.clone(), contrast.clone())
                .map_or(f64::INFINITY, |row| row.iter().zip(&contrast).map(|(a, b)| a * b).sum());
            let margin = if played { Z95 * variance.max(0.0).sqrt() } else { f64::INFINITY };
            Rating { elo: elo[i] - level, margin }
        })
        .collect()
}

fn with_prior(players: usize, meetings: &[Meeting], prior_draws: f64) -> Vec<Meeting> {
    let mut games = vec![0.0; players];
    for meeting in meetings {
        games[meeting.first] += meeting.games;
        games[meeting.second] += meeting.games;
    }
    meetings
        .iter()
        .filter(|meeting| meeting.games > 0.0)
        .map(|meeting| {
            let share =
                meeting.games / games[meeting.first] + meeting.games / games[meeting.second];
            let draws = prior_draws * share / 2.0;
            Meeting {
                points: meeting.points + draws / 2.0,
                games: meeting.games + draws,
                ..*meeting
            }
        })
        .collect()
}

/// Gradient of the log-likelihood and its negated second derivatives. A trace of a game against a
/// player rated 0 holds what the results leave free: the common level, and players or groups that
/// never met.
fn derivatives(elo: &[f64], meetings: &[Meeting]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let per_elo = std::f64::consts::LN_10 / 400.0;
    let hold = TRACE * per_elo * per_elo;
    let mut gradient: Vec<f64> = elo.iter().map(|rating| -hold * rating).collect();
    let mut curvature = vec![vec![0.0; elo.len()]; elo.len()];
    for (i, row) in curvature.iter_mut().enumerate() {
        row[i] = hold;
    }
    for &Meeting { first, second, points, games } in meetings {
        let expected = expected_score(elo[first] - elo[second]);
        let surprise = per_elo * (points - games * expected);
        gradient[first] += surprise;
        gradient[second] -= surprise;
        let bend = per_elo * per_elo * games * expected * (1.0 - expected);
        curvature[first][first] += bend;
        curvature[second][second] += bend;
        curvature[first][second] -= bend;
        curvature[second][first] -= bend;
    }
    (gradient, curvature)
}

/// Solves the linear system by elimination with pivots; `None` if it is singular.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        if matrix[pivot][column].abs() < 1e-18 {
            return None;
        }
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let pivot_row = matrix[column].clone();
        for row in (0..size).filter(|&row| row != column) {
            let factor = matrix[row][column] / pivot_row[column];
            for (entry, above) in matrix[row].iter_mut().zip(&pivot_row) {
                *entry -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    Some((0..size).map(|i| right[i] / matrix[i][i]).collect())
}

#[cfg(test)]
mod tests {
    use super::super::elo::from_score;
    use super::*;
    use crate::random::seeded_part;
    use rand::Rng;

    fn meeting(first: usize, second: usize, points: f64, games: f64) -> Meeting {
        Meeting { first, second, points, games }
    }

    #[test]
    fn two_players_are_as_far_apart_as_their_score_says() {
        let ratings = rate(2, &[meeting(0, 1, 75.0, 100.0)], 0.0);
        assert!((ratings[0].elo - ratings[1].elo - from_score(0.75)).abs() < 1e-3);
        // Binomial interval of the difference: 1.96 / (ln10/400 · sqrt(100 · 3/16)); half of it
        // relative to the mean of the two.
        let expected = Z95 / (std::f64::consts::LN_10 / 400.0 * (100.0f64 * 0.1875).sqrt()) / 2.0;
        assert!((ratings[0].margin - expected).abs() < 1e-3, "{}", ratings[0].margin);
    }

    #[test]
    fn a_chosen_zero_shifts_all_ratings_and_has_no_interval_itself() {
        let meetings = [meeting(0, 1, 75.0, 100.0), meeting(1, 2, 60.0, 100.0)];
        let (mean, from) = (rate(3, &meetings, 0.0), rate_from(3, &meetings, 0.0, Some(1)));
        assert!((from[1].elo.abs() + from[1].margin) < 1e-6, "{from:?}");
        assert!((from[0].elo - (mean[0].elo - mean[1].elo)).abs() < 1e-6);
        // Nothing but their own games says how far 0 is from 1.
        let alone = rate(2, &meetings[..1], 0.0);
        assert!((from[0].margin - 2.0 * alone[0].margin).abs() < 1e-2, "{from:?} {alone:?}");
    }

    #[test]
    fn at_the_maximum_every_player_scores_what_its_rating_expects() {
        let meetings = [
            meeting(0, 1, 60.0, 100.0),
            meeting(0, 2, 81.5, 100.0),
            meeting(1, 2, 10.0, 40.0),
            meeting(3, 0, 3.0, 50.0),
        ];
        let ratings = rate(4, &meetings, 0.0);
        for player in 0..4 {
            let (mut points, mut expected) = (0.0, 0.0);
            for m in &meetings {
                let difference = ratings[m.first].elo - ratings[m.second].elo;
                if m.first == player {
                    points += m.points;
                    expected += m.games * expected_score(difference);
                } else if m.second == player {
                    points += m.games - m.points;
                    expected += m.games * expected_score(-difference);
                }
            }
            assert!((points - expected).abs() < 1e-4, "{player}: {points} {expected}");
        }
        assert!(ratings.iter().map(|r| r.elo).sum::<f64>().abs() < 1e-3);
    }

    #[test]
    fn the_prior_keeps_a_clean_sweep_finite_and_no_games_unrated() {
        let ratings = rate(3, &[meeting(0, 1, 20.0, 20.0)], PRIOR_DRAWS);
        assert!(ratings[0].elo.is_finite() && ratings[0].elo > 150.0, "{ratings:?}");
        // Twenty wins and two virtual draws are 21 of 22.
        let apart = ratings[0].elo - ratings[1].elo;
        assert!((apart - from_score(21.0 / 22.0)).abs() < 1e-3);
        assert_eq!(ratings[2].margin, f64::INFINITY);
    }

    #[test]
    fn the_intervals_hold_the_truth_at_the_nominal_rate() {
        let truth: [f64; 4] = [150.0, 40.0, -60.0, -130.0];
        let (tournaments, mut held) = (500, 0);
        for index in 0..tournaments {
            let mut rng = seeded_part(17, index);
            let mut meetings = Vec::new();
            for first in 0..4 {
                for second in first + 1..4 {
                    let chance = expected_score(truth[first] - truth[second]);
                    let wins = (0..100).filter(|_| rng.random::<f64>() < chance).count();
                    meetings.push(meeting(first, second, wins as f64, 100.0));
                }
            }
            let ratings = rate(4, &meetings, PRIOR_DRAWS);
            held +=
                (0..4).filter(|&i| (ratings[i].elo - truth[i]).abs() <= ratings[i].margin).count();
        }
        let rate = held as f64 / (4.0 * tournaments as f64);
        assert!((0.93..0.97).contains(&rate), "{rate}");
    }
}
