//! Every experiment of the lab: one line each.

use super::bench::{Bench, LabError, Need};
use super::outcome::Outcome;
use super::{iida, kajihara, kitamura, kobayashi, ours, tebika};

/// Where an experiment comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Paper {
    /// Kobayashi et al. 2002.
    Kobayashi,
    /// Tebika, Koide, Kobayashi.
    Tebika,
    /// Kitamura and Matsuzaki 2017.
    Kitamura,
    /// Kajihara and Iida.
    Kajihara,
    /// Iida and Kotani 1992.
    Iida,
    /// Kitai's own question.
    Ours,
}

impl Paper {
    /// As cited in the report.
    pub fn name(self) -> &'static str {
        match self {
            Paper::Kobayashi => "Kobayashi et al. 2002, A Game Tree Search Using Expectation",
            Paper::Tebika => {
                "Tebika, Koide, Kobayashi, A Game Tree Search by Expected-Value Method"
            }
            Paper::Kitamura => {
                "Kitamura and Matsuzaki 2017, on evaluation functions in MCTS players"
            }
            Paper::Kajihara => {
                "Kajihara and Iida, A Mixed Strategy of Minimax Strategy and Opponent-Model Search"
            }
            Paper::Iida => {
                "Iida and Kotani 1992, A Strategy of Game Tree Search Modelling Experts' Thinking"
            }
            Paper::Ours => "Kitai's own questions",
        }
    }
}

/// An experiment.
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its paper.
    pub paper: Paper,
    /// Which tables and figures, or the question.
    pub about: &'static str,
    /// Data that it cannot do without.
    pub needs: &'static [Need],
    /// Seconds on two cores, about: the quick run and the full one.
    pub seconds: [u32; 2],
    /// Whether its moves depend on the clock, so that no run gives the figures of another: games at so
    /// many milliseconds a move, and Monte Carlo players, whose only legal move takes ten
    /// milliseconds at most and so not always as many playouts.
    pub by_clock: bool,
    /// Runs it.
    pub run: fn(&Bench<'_>) -> Result<Outcome, LabError>,
}

use Need::{Wthor, Zebra};
use Paper::{Iida, Kajihara, Kitamura, Kobayashi, Ours, Tebika};

/// All experiments, in the order of the report.
pub const EXPERIMENTS: &[Experiment] = &[
    experiment(
        "kobayashi-values",
        Kobayashi,
        "tables 1 to 4",
        &[],
        [1, 90],
        kobayashi::tables::values,
    ),
    experiment(
        "kobayashi-sigma",
        Kobayashi,
        "table 5, figure 6",
        &[Wthor],
        [1, 15],
        kobayashi::tables::sigma,
    ),
    experiment(
        "kobayashi-one-move",
        Kobayashi,
        "tables 6 and 7",
        &[Wthor],
        [2, 40],
        kobayashi::tables::one_move,
    ),
    experiment(
        "kobayashi-samples",
        Kobayashi,
        "table 8, figure 7",
        &[Wthor],
        [2, 30],
        kobayashi::tables::samples,
    ),
    experiment(
        "kobayashi-moves",
        Kobayashi,
        "tables 9 and 10",
        &[Wthor],
        [3, 150],
        kobayashi::tables::moves,
    ),
    experiment(
        "kobayashi-rivals",
        Kobayashi,
        "the rules it sets itself against, in the frame of tables 6 and 7",
        &[Wthor],
        [3, 80],
        kobayashi::rivals::rivals,
    ),
    experiment(
        "tebika-trees",
        Tebika,
        "tables 1 and 3, figures 19 to 21",
        &[],
        [6, 250],
        tebika::tables::trees,
    ),
    experiment(
        "tebika-readings",
        Tebika,
        "the virtual trees under six readings beside an independent re-run",
        &[],
        [3, 50],
        tebika::tables::readings,
    ),
    experiment(
        "tebika-variances",
        Tebika,
        "table 2",
        &[Wthor],
        [1, 5],
        tebika::variances::variances,
    ),
    experiment(
        "tebika-om",
        Tebika,
        "OM search with two evaluations on the virtual trees",
        &[],
        [1, 15],
        tebika::tables::om,
    ),
    experiment(
        "kitamura-scatter",
        Kitamura,
        "figures 5 to 13, the ±5000 check, W0 to W9 against solved endgames",
        &[Wthor, Zebra],
        [1, 10],
        kitamura::evaluations::scatter,
    ),
    experiment(
        "kitamura-alpha-beta",
        Kitamura,
        "table 3",
        &[Zebra],
        [4, 120],
        kitamura::matches::alpha_beta,
    ),
    experiment("kitamura-wins", Kitamura, "table 4", &[Zebra], [5, 400], kitamura::matches::wins),
    experiment(
        "kitamura-ratings",
        Kitamura,
        "tables 5 and 6 at 1,000 playouts",
        &[Zebra],
        [8, 250],
        kitamura::matches::ratings,
    ),
    experiment(
        "kitamura-ratings-10000",
        Kitamura,
        "tables 5 and 6 at 10,000 playouts, as far as run",
        &[Zebra],
        [5, 330],
        kitamura::matches::ratings_10000,
    ),
    experiment(
        "kitamura-bars",
        Kitamura,
        "figures 14 and 16",
        &[Zebra],
        [4, 120],
        kitamura::matches::bars,
    ),
    experiment(
        "kitamura-bars-10000",
        Kitamura,
        "figures 15 and 17, as far as run",
        &[Zebra],
        [1, 160],
        kitamura::matches::bars_10000,
    ),
    experiment(
        "kajihara-semi-random",
        Kajihara,
        "table 1",
        &[],
        [1, 5],
        kajihara::tables::semi_random,
    ),
    experiment("kajihara-mixed", Kajihara, "tables 2 to 4", &[], [1, 15], kajihara::tables::mixed),
    experiment("iida-candidates", Iida, "tables 1 and 2", &[], [2, 120], iida::tables::candidates),
    experiment("iida-games", Iida, "table 3", &[], [4, 300], iida::tables::games),
    experiment(
        "view",
        Ours,
        "does evaluation in UCB1 help, or was it the view?",
        &[Zebra],
        [4, 250],
        ours::view::view,
    ),
    experiment(
        "correlated-errors",
        Ours,
        "the effective σ of the leaves against the best σ found in games",
        &[],
        [1, 40],
        ours::correlated_errors::correlated_errors,
    ),
    by_clock(experiment(
        "round-robin",
        Ours,
        "which idea for whom: all methods at equal time",
        &[],
        [12, 600],
        ours::round_robin::round_robin,
    )),
    experiment(
        "disagreements",
        Ours,
        "where methods choose differently, who is right?",
        &[Wthor],
        [3, 60],
        ours::disagreements::disagreements,
    ),
];

const fn by_clock(experiment: Experiment) -> Experiment {
    Experiment { by_clock: true, ..experiment }
}

const fn experiment(
    name: &'static str,
    paper: Paper,
    about: &'static str,
    needs: &'static [Need],
    seconds: [u32; 2],
    run: fn(&Bench<'_>) -> Result<Outcome, LabError>,
) -> Experiment {
    Experiment { name, paper, about, needs, seconds, by_clock: false, run }
}

/// The experiment of this name.
pub fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_papers_stand_together() {
        let mut names: Vec<&str> = EXPERIMENTS.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), EXPERIMENTS.len());
        assert!(EXPERIMENTS.iter().map(|entry| entry.paper).is_sorted());
        assert!(find("kobayashi-moves").is_some() && find("nothing").is_none());
    }

    #[test]
    fn all_quick_runs_together_are_announced_in_under_five_minutes() {
        let sum: u32 = EXPERIMENTS.iter().map(|entry| entry.seconds[0]).sum();
        assert!(sum < 300, "{sum}");
    }
}
