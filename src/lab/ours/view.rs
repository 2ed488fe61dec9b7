//! Does evaluation in UCB1 help, or was it the view?
//!
//! The 2017 paper finds that player T, UCT with the evaluation as virtual playouts, gains little. Its
//! figures fit best if E(s) is the searching player's win rate at every node, so that in the
//! opponent's choices the tree prefers what is good for the searcher. Here T plays plain UCT with
//! E(s) for the searcher and for the side that moves, and with the evaluation asked either way.

use crate::lab::bench::{Bench, LabError};
use crate::lab::kitamura::{Reading, plain_spec};
use crate::lab::matches::{Pairings, plan};
use crate::lab::outcome::{Column, Outcome, Table};
use crate::lab::verdict::Figure;
use crate::plot::{self, Interval};
use crate::statistics::normal::Z95;

const SEED: u64 = 2017;
/// Playouts of a move.
const PLAYOUTS: u32 = 1_000;

/// Plays T with four views against plain UCT.
///
/// # Errors
/// If Zebra's coefficients are not there or the games cannot be played.
pub fn view(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let zebra = bench.zebra()?;
    let rounds = bench.size(5, 500);
    let mut specs = vec![plain_spec(Reading::Figures, PLAYOUTS, "plain")];
    let views = [("root", "own"), ("root", "mover"), ("mover", "own"), ("mover", "mover")];
    for (prior, eval_view) in views {
        specs.push(format!(
            "uct-t-{PLAYOUTS},name=T {prior} {eval_view},eval=zebra,zebra-coeffs={},prior={prior},\
             eval-view={eval_view}",
            zebra.display()
        ));
    }
    let pairings = Pairings::Listed((1..=views.len()).map(|player| (player, 0)).collect());
    let plan = plan(&specs, pairings, "random:8", rounds, SEED)?;
    let (_, standing) = bench.play(&plan, "")?;
    let columns = vec![Column::new("score against plain, %", 1), Column::new("Elo", 0)];
    let title = "Player T with W0 against plain UCT by view";
    let mut table = Table::new(title, &[], "E(s) for, evaluation asked for", columns);
    let mut intervals = Vec::new();
    for ((prior, eval_view), result) in views.iter().zip(&standing.pairings) {
        let margin = (result.elo.high - result.elo.low) / 2.0;
        let whose = if *prior == "root" { "the searcher" } else { "the side that moves" };
        let asked = if *eval_view == "own" { "oneself" } else { "the side to move" };
        let name = format!("{whose}, {asked}");
        // Pairs share their opening; the score's error follows from the interval of the Elo.
        let score = 100.0 * result.score;
        let error = margin / Z95 * 100.0 * result.score * (1.0 - result.score) / ELO_PER_LOGIT;
        table.row(
            name.clone(),
            vec![Figure::ours(score, error), Figure::ours(result.elo.elo, margin / Z95)],
        );
        intervals.push(Interval {
            name,
            low: result.elo.low,
            middle: result.elo.elo,
            high: result.elo.high,
            color: usize::from(*prior == "root"),
        });
    }
    let elo = |index: usize| standing.pairings[index].elo.elo;
    let mut outcome = Outcome {
        seed: SEED,
        settings: format!("{} games each, {PLAYOUTS} playouts, random:8", 2 * rounds),
        reading: "Plain UCT has equation 2 with even chances and W = 5, so that nothing but E(s) differs."
            .to_owned(),
        findings: vec![format!(
            "T gains {:.0} Elo over plain with E(s) for the searcher and {:.0} with E(s) for the side that \
             moves, both asked in the own view; {:.0} and {:.0} in the correct view.",
            elo(0),
            elo(2),
            elo(1),
            elo(3)
        )],
        tables: vec![table],
        ..Outcome::default()
    };
    outcome.chart("Elo over plain UCT", plot::intervals(&intervals, "Elo, 95 %"));
    Ok(outcome)
}

/// 400 / ln 10.
const ELO_PER_LOGIT: f64 = 173.717_79;
