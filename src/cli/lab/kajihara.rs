//! `kitai lab kajihara-semi-random` and `kitai lab kajihara-mixed`: the mixed-strategy paper's tables.

use clap::ValueEnum;

use crate::cli::{CliError, Output};
use crate::lab::kajihara::{self, Figure, GAMES, MIXED_ERRORS, TABLE_1_ERRORS};
use crate::search::opponent::speculative::Reading as SpeculativeReading;

/// Kajihara and Iida, table 1: semi-random players of tic-tac-toe against each other
///
/// Every figure by enumeration, by simulation, and as printed.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  kitai lab kajihara-semi-random")]
pub(super) struct SemiRandomArgs {
    #[command(flatten)]
    simulation: Simulation,
}

/// Kajihara and Iida, tables 2 to 4: speculating on some turns against a semi-random player
///
/// Every figure by enumeration, by simulation, and as printed.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai lab kajihara-mixed\n  kitai lab kajihara-mixed --reading expectimax --games 0"
)]
pub(super) struct MixedArgs {
    /// How the chance of winning by a move is computed
    #[arg(long, value_enum, default_value_t = Reading::OneMistake)]
    reading: Reading,
    #[command(flatten)]
    simulation: Simulation,
}

#[derive(clap::Args, Debug)]
struct Simulation {
    /// Games simulated for each cell; 0 for none
    #[arg(long, short = 'n', default_value_t = GAMES,
          value_parser = clap::value_parser!(u32).range(0..=10_000_000))]
    games: u32,
    /// Seed of the simulation
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum Reading {
    /// The share of modelled replies that lose by force
    OneMistake,
    /// Expectimax over the modelled replies
    Expectimax,
    /// The share of won leaves
    WonLeaves,
}

impl From<Reading> for SpeculativeReading {
    fn from(reading: Reading) -> SpeculativeReading {
        match reading {
            Reading::OneMistake => SpeculativeReading::OneMistake,
            Reading::Expectimax => SpeculativeReading::Expectimax,
            Reading::WonLeaves => SpeculativeReading::WonLeaves,
        }
    }
}

/// Agreeing cells and all.
#[derive(Default)]
struct Tally {
    agree: usize,
    all: usize,
}

impl Tally {
    /// A figure as a row of the table; counts it.
    fn row(&mut self, figure: &Figure, most: f64) -> String {
        let agrees = figure.agrees(most);
        self.agree += usize::from(agrees);
        self.all += 1;
        let simulated = match (figure.simulated, figure.simulated_errors) {
            (Some(share), Some(errors)) => format!("{share:>9.2} {errors:>+6.1}"),
            _ => format!("{:>16}", ""),
        };
        format!(
            "{:>9.4} {simulated} {:>9.2} {:>+6.1}  {}",
            figure.exact,
            figure.printed,
            figure.printed_errors,
            if agrees { "agrees" } else { "DIFFERS" }
        )
    }
}

const HEADER: &str = "    exact  simulated    z   printed      z  verdict";

/// Runs `kajihara-semi-random`.
///
/// # Errors
/// If standard output cannot be written.
pub(super) fn semi_random(args: &SemiRandomArgs, output: &mut Output) -> Result<(), CliError> {
    let Simulation { games, seed } = args.simulation;
    output.line(format_args!(
        "Table 1: White P_i against Black P_j, per cent of White's games; {games} simulated games \
         of each cell, seed {seed};\nz in standard errors of a simulation; agrees: printed within \
         {TABLE_1_ERRORS}, simulated within {}.\n\nwhite black      {HEADER}",
        kajihara::SIMULATION_ERRORS
    ))?;
    let mut tally = Tally::default();
    for result in kajihara::semi_random(games, seed) {
        for (name, figure) in ["win", "draw", "loss"].into_iter().zip(&result.figures) {
            let row = tally.row(figure, TABLE_1_ERRORS);
            let (white, black) = (result.cell.white, result.cell.black);
            output.line(format_args!("   P{white}    P{black} {name:<5}{row}"))?;
        }
        output.object(&result)?;
    }
    output.line(format_args!("\n{} of {} figures agree", tally.agree, tally.all))
}

/// Runs `kajihara-mixed`.
///
/// # Errors
/// If standard output cannot be written.
pub(super) fn mixed(args: &MixedArgs, output: &mut Output) -> Result<(), CliError> {
    let Simulation { games, seed } = args.simulation;
    output.line(format_args!(
        "Tables 2 and 3: games won by the speculative player, per cent; {games} simulated games of \
         each cell, seed {seed};\nz in standard errors of a simulation; agrees: printed within \
         {MIXED_ERRORS}, simulated within {}.\n\nspeculates      against type{HEADER}",
        kajihara::SIMULATION_ERRORS
    ))?;
    let mut tally = Tally::default();
    let results = kajihara::mixed(args.reading.into(), games, seed);
    for result in &results {
        let cell = &result.cell;
        let row = tally.row(&result.figure, MIXED_ERRORS);
        let colour = if cell.white { "white" } else { "black" };
        output.line(format_args!(
            "{colour}     P{}      P{}  {} {row}",
            cell.player, cell.opponent, cell.schedule
        ))?;
        output.object(result)?;
    }
    output.line(format_args!("\n{} of {} figures agree", tally.agree, tally.all))?;
    output.line(
        "\nTable 4: the best type's wins less those of type 000, per cent\n\
         speculates      against    exact  best  from tables 2, 3  printed",
    )?;
    for result in kajihara::gains(&results) {
        let gain = &result.gain;
        let slip = (result.from_tables - gain.printed).abs() > 0.006;
        output.line(format_args!(
            "{}     P{}      P{}   {:>9.2}  {:>4}  {:>16.2} {:>8.2}{}",
            if gain.white { "white" } else { "black" },
            gain.player,
            gain.opponent,
            result.exact,
            result.best,
            result.from_tables,
            gain.printed,
            if slip { "  (a slip of the paper)" } else { "" }
        ))?;
        output.object(&result)?;
    }
    Ok(())
}
