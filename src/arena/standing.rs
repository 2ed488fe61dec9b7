//! What the games so far say: scores, Elo, discs, the test's decision, ratings.

use std::collections::BTreeMap;

use serde::Serialize;

use super::logged::LoggedGame;
use super::plan::Plan;
use super::referee::{Ending, Side};
use crate::statistics::paper::{self, AnchorResult};
use crate::statistics::ratings::{self, Meeting, PRIOR_DRAWS, Rating};
use crate::statistics::{Decision, EloEstimate, MeanEstimate, Moments, Pairs, Sprt};

/// The games so far, by number.
pub type Games = BTreeMap<usize, LoggedGame>;

/// The result of one pairing, from the first player's point of view.
#[derive(Clone, Debug, Serialize)]
pub struct PairingResult {
    /// Name of the first player.
    pub first: String,
    /// Name of the second player.
    pub second: String,
    /// Games played.
    pub games: u64,
    /// Games the first player won.
    pub wins: u64,
    /// Draws.
    pub draws: u64,
    /// Games the first player lost.
    pub losses: u64,
    /// First player's share of the points, 0 to 1; ½ without games.
    pub score: f64,
    /// Complete pairs by score.
    pub pairs: Pairs,
    /// Elo difference from the complete pairs.
    pub elo: EloEstimate,
    /// Mean final disc difference, by pairs; games lost by a fault are left out.
    pub discs: MeanEstimate,
}

/// Where a sequential test stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtState {
    /// The question.
    #[serde(flatten)]
    pub test: Sprt,
    /// Log-likelihood ratio of the pairs counted.
    pub ratio: f64,
    /// Accept `elo0` at or below this.
    pub lower: f64,
    /// Accept `elo1` at or above this.
    pub upper: f64,
    /// What follows.
    pub decision: Decision,
    /// Pairs counted, in the order of the plan.
    pub pairs: usize,
}

/// Follows a sequential test through the pairs in the order of the plan, whatever order they end
/// in: fast games get no say before slow ones, and a resumed match decides where an uninterrupted
/// one does.
#[derive(Clone, Debug)]
pub struct SprtMonitor {
    test: Sprt,
    counted: usize,
    pairs: Pairs,
    decision: Decision,
}

impl SprtMonitor {
    /// At the start of a match.
    pub fn new(test: Sprt) -> SprtMonitor {
        SprtMonitor { test, counted: 0, pairs: Pairs::default(), decision: Decision::Continue }
    }

    /// Counts the pairs that have become complete, up to the deciding one.
    pub fn update(&mut self, games: &Games) -> Decision {
        while self.decision == Decision::Continue {
            let number = 2 * self.counted;
            let (Some(one), Some(two)) = (games.get(&number), games.get(&(number + 1))) else {
                break;
            };
            self.pairs.add(pair_half_points(one, two));
            self.counted += 1;
            self.decision = self.test.decide(&self.pairs);
        }
        self.decision
    }

    /// Where the test stands.
    pub fn state(&self) -> SprtState {
        SprtState {
            test: self.test,
            ratio: self.test.log_likelihood_ratio(&self.pairs),
            lower: self.test.lower(),
            upper: self.test.upper(),
            decision: self.decision,
            pairs: self.counted,
        }
    }
}

/// Half points of the pair's first player: Black of the first game, White of the second.
fn pair_half_points(one: &LoggedGame, two: &LoggedGame) -> usize {
    usize::from(one.half_points) + usize::from(2 - two.half_points.min(2))
}

/// A player's failures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Failures {
    /// By the kind's name.
    pub kinds: BTreeMap<String, u64>,
}

/// A player in the table.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerStanding {
    /// Its name.
    pub name: String,
    /// What it is.
    pub plays: String,
    /// Games played.
    pub games: u64,
    /// Points.
    pub points: f64,
    /// Rating with the usual prior.
    pub bayes: Rating,
    /// Maximum-likelihood rating without a prior; infinite margins mean no games or a sweep.
    pub maximum_likelihood: Rating,
    /// Rating against the plan's anchors by the 2017 paper's formula; an anchor's is its rating
    /// among the anchors. `None` without anchors or without a countable score.
    pub paper: Option<f64>,
    /// Mean time per own move, milliseconds.
    pub move_time: MeanEstimate,
    /// Longest own move, milliseconds, those that came too late included.
    pub longest_move: f64,
    /// Its failures.
    pub failures: Failures,
}

/// Everything the games say.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// Games that count.
    pub games: usize,
    /// Games planned.
    pub planned: usize,
    /// Games played but not counted: they ended after the test's decision.
    pub after_decision: usize,
    /// Every pairing's result.
    pub pairings: Vec<PairingResult>,
    /// Every player, in the order of the plan.
    pub players: Vec<PlayerStanding>,
    /// The sequential test, if there is one.
    pub sprt: Option<SprtState>,
}

impl Standing {
    /// Sums up the games.
    pub fn of(plan: &Plan, games: &Games) -> Standing {
        let mut monitor = plan.sprt.map(SprtMonitor::new);
        let mut counted = usize::MAX;
        if let Some(monitor) = &mut monitor
            && monitor.update(games) != Decision::Continue
        {
            counted = 2 * monitor.counted;
        }
        let counting: Vec<&LoggedGame> = games.range(..counted).map(|(_, record)| record).collect();
        let pairings: Vec<_> =
            (0..plan.pairings.len()).map(|index| pairing(plan, index, &counting)).collect();
        Standing {
            games: counting.len(),
            planned: plan.games(),
            after_decision: games.len() - counting.len(),
            players: players(plan, &counting, &pairings),
            pairings,
            sprt: monitor.map(|monitor| monitor.state()),
        }
    }

    /// Whether the match is over: all games played, or the test has decided.
    pub fn is_complete(&self) -> bool {
        self.games == self.planned
            || self.sprt.is_some_and(|sprt| sprt.decision != Decision::Continue)
    }
}

fn pairing(plan: &Plan, index: usize, games: &[&LoggedGame]) -> PairingResult {
    let (first, second) = plan.pairings[index];
    let mut result = PairingResult {
        first: plan.players[first].name.clone(),
        second: plan.players[second].name.clone(),
        games: 0,
        wins: 0,
        draws: 0,
        losses: 0,
        score: 0.5,
        pairs: Pairs::default(),
        elo: EloEstimate::of(&Pairs::default()),
        discs: Moments::default().mean_estimate(),
    };
    // Games by round: half points and discs of the first player.
    let mut rounds: BTreeMap<usize, Vec<(u8, Option<i32>)>> = BTreeMap::new();
    for record in games {
        let scheduled = plan.game(record.game);
        if scheduled.pairing != index {
            continue;
        }
        let (half_points, discs) = if scheduled.black == first {
            (record.half_points, record.discs)
        } else {
            (2 - record.half_points, record.discs.map(|discs| -discs))
        };
        match half_points {
            2 => result.wins += 1,
            1 => result.draws += 1,
            _ => result.losses += 1,
        }
        rounds.entry(scheduled.round).or_default().push((half_points, discs));
    }
    result.games = result.wins + result.draws + result.losses;
    if result.games > 0 {
        result.score = (result.wins as f64 + result.draws as f64 / 2.0) / result.games as f64;
    }
    for pair in rounds.values().filter(|pair| pair.len() == 2) {
        result.pairs.add(pair.iter().map(|game| usize::from(game.0)).sum());
    }
    result.elo = EloEstimate::of(&result.pairs);
    let of_pair = |pair: &Vec<(_, Option<_>)>| {
        let known: Moments = pair.iter().filter_map(|game| game.1.map(f64::from)).collect();
        (known.count > 0.0).then(|| known.mean())
    };
    result.discs = rounds.values().filter_map(of_pair).collect::<Moments>().mean_estimate();
    result
}

/// Every player's rating by the 2017 paper's formula: the anchors' own games give their ratings
/// (mean 0, the usual prior against clean sweeps), the others are rated by their scores against them.
fn paper_ratings(plan: &Plan, meetings: &[Meeting]) -> Vec<Option<f64>> {
    let place = |player: usize| plan.anchors.iter().position(|&anchor| anchor == player);
    let among_anchors: Vec<Meeting> = meetings
        .iter()
        .filter_map(|m| Some(Meeting { first: place(m.first)?, second: place(m.second)?, ..*m }))
        .collect();
    let anchors = ratings::rate(plan.anchors.len(), &among_anchors, PRIOR_DRAWS);
    let against_anchors = |player: usize| {
        let results: Vec<AnchorResult> = meetings
            .iter()
            .filter(|m| m.games > 0.0)
            .filter_map(|m| {
                let score = m.points / m.games;
                if m.first == player {
                    Some(AnchorResult { anchor: anchors[place(m.second)?].elo, score })
                } else if m.second == player {
                    Some(AnchorResult { anchor: anchors[place(m.first)?].elo, score: 1.0 - score })
                } else {
                    None
                }
            })
            .collect();
        paper::rating(&results)
    };
    (0..plan.players.len())
        .map(|player| match place(player) {
            Some(anchor) => Some(anchors[anchor].elo),
            None => against_anchors(player),
        })
        .collect()
}

fn players(plan: &Plan, games: &[&LoggedGame], pairings: &[PairingResult]) -> Vec<PlayerStanding> {
    let meetings: Vec<Meeting> = pairings
        .iter()
        .zip(&plan.pairings)
        .map(|(result, &(first, second))| Meeting {
            first,
            second,
            points: result.score * result.games as f64,
            games: result.games as f64,
        })
        .collect();
    let bayes = ratings::rate_from(plan.players.len(), &meetings, PRIOR_DRAWS, plan.zero);
    let likely = ratings::rate_from(plan.players.len(), &meetings, 0.0, plan.zero);
    let paper = paper_ratings(plan, &meetings);
    let mut times = vec![Vec::new(); plan.players.len()];
    let mut late = vec![0.0f64; plan.players.len()];
    let mut standings: Vec<PlayerStanding> = plan
        .players
        .iter()
        .enumerate()
        .map(|(index, player)| PlayerStanding {
            name: player.name.clone(),
            plays: player.record().plays,
            games: 0,
            points: 0.0,
            bayes: bayes[index],
            maximum_likelihood: likely[index],
            paper: paper[index],
            move_time: Moments::default().mean_estimate(),
            longest_move: 0.0,
            failures: Failures::default(),
        })
        .collect();
    for record in games {
        let scheduled = plan.game(record.game);
        let mut black_moves =
            plan.openings[scheduled.opening].history.board().turn == crate::othello::Color::Black;
        // Passes take no time and are nobody's thinking.
        for (index, &time) in record.times.iter().enumerate() {
            if record.moves.get(2 * index..2 * index + 2) != Some("pa") {
                times[if black_moves { scheduled.black } else { scheduled.white }].push(time);
            }
            black_moves = !black_moves;
        }
        for (player, half_points) in
            [(scheduled.black, record.half_points), (scheduled.white, 2 - record.half_points)]
        {
            standings[player].games += 1;
            standings[player].points += f64::from(half_points) / 2.0;
        }
        if let Ending::Failed(side, fault) = &record.ending {
            let loser = if *side == Side::Black { scheduled.black } else { scheduled.white };
            *standings[loser].failures.kinds.entry(fault.kind.name().to_owned()).or_default() += 1;
            late[loser] = late[loser].max(fault.late_ms.unwrap_or(0.0));
        }
    }
    for ((standing, times), late) in standings.iter_mut().zip(times).zip(late) {
        standing.longest_move = times.iter().copied().fold(late, f64::max);
        standing.move_time = times.into_iter().collect::<Moments>().mean_estimate();
    }
    standings
}
