//! `kitai lab kajihara-semi-random` and `kitai lab kajihara-mixed`: the mixed-strategy paper's tables.

use clap::ValueEnum;

use crate::cli::{CliError, Output};
use crate::eval::{self, UNIT};
use crate::game::othello::OthelloState;
use crate::game::{Othello, SmallOthello};
use crate::lab::kajihara::elsewhere::{Cell, Elsewhere, MixedMatch, SemiRandomMatch};
use crate::lab::kajihara::{self, Figure, GAMES, MIXED_ERRORS, TABLE_1_ERRORS};
use crate::options::Options;
use crate::search::opponent::forced::{Beyond, GameEnds};
use crate::search::opponent::schedule::TYPES;
use crate::search::opponent::speculative::Reading as SpeculativeReading;

/// Kajihara and Iida, table 1: semi-random players of tic-tac-toe against each other
///
/// Every figure by enumeration, by simulation, and as printed; in other games without the printed one.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  kitai lab kajihara-semi-random\n  \
kitai lab kajihara-semi-random --game othello4\n  \
kitai lab kajihara-semi-random --game othello --depth 3 --threshold 8 --games 1000")]
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

/// The games: the paper's, and others.
#[derive(Clone, Copy, ValueEnum, Debug, PartialEq, Eq)]
enum GameName {
    Tictactoe,
    /// Othello on 4×4 squares
    Othello4,
    /// Othello on 6×6 squares, by simulation only
    Othello6,
    /// Othello, by simulation only
    Othello,
}

#[derive(clap::Args, Debug)]
struct Simulation {
    /// The game
    #[arg(long, value_enum, default_value_t = GameName::Tictactoe)]
    game: GameName,
    /// In other games: look-ahead of the deepest player, plies
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=7))]
    depth: u32,
    /// In Othello: discs of `pattern` that count as won; 0 knows finished games only
    #[arg(long, default_value_t = 0.0, value_name = "DISCS")]
    threshold: f64,
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
    let Simulation { games, seed, .. } = args.simulation;
    if args.simulation.game != GameName::Tictactoe {
        return args.simulation.elsewhere(None, output);
    }
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
    let Simulation { games, seed, .. } = args.simulation;
    if args.simulation.game != GameName::Tictactoe {
        return args.simulation.elsewhere(Some(args.reading.into()), output);
    }
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

impl Simulation {
    /// The experiment in another game: semi-random players, or mixed ones if there is a reading.
    fn elsewhere(
        &self,
        reading: Option<SpeculativeReading>,
        output: &mut Output,
    ) -> Result<(), CliError> {
        let exact = self.game == GameName::Othello4;
        let settings =
            Elsewhere { games: self.games, seed: self.seed, most_depth: self.depth, exact };
        let knows = if self.game == GameName::Othello && self.threshold > 0.0 {
            format!("a value of {} discs counts as won", self.threshold)
        } else {
            "finished games only".to_owned()
        };
        output.line(format_args!(
            "{:?}, {knows}, {} simulated games of each cell, seed {}; per cent",
            self.game, self.games, self.seed
        ))?;
        output.line(match reading {
            None => "\nfirst second    win    draw    loss   simulated".to_owned(),
            Some(_) => format!(
                "\nspeculates     against {}   best  gain",
                TYPES.map(|name| format!("{name:>7}")).concat()
            ),
        })?;
        let evaluator = eval::build(&Options::new()).map_err(CliError::input)?;
        let evaluate =
            |state: &OthelloState| f64::from(evaluator.evaluate(state.position)) / f64::from(UNIT);
        let mut written = Ok(());
        macro_rules! play {
            ($game:expr, $knowledge:expr) => {
                match reading {
                    None => settings.semi_random($game, $knowledge, &mut |one| {
                        if written.is_ok() {
                            written = print_semi_random(one, output);
                        }
                    }),
                    Some(reading) => settings.mixed($game, $knowledge, reading, &mut |one| {
                        if written.is_ok() {
                            written = print_mixed(one, output);
                        }
                    }),
                }
            };
        }
        match self.game {
            GameName::Othello if self.threshold > 0.0 => {
                play!(&Othello, &Beyond { evaluate, threshold: self.threshold })
            }
            GameName::Othello => play!(&Othello, &GameEnds),
            GameName::Othello6 => play!(&SmallOthello::SIX, &GameEnds),
            _ => play!(&SmallOthello::FOUR, &GameEnds),
        }
        written
    }
}

fn print_semi_random(one: &SemiRandomMatch, output: &mut Output) -> Result<(), CliError> {
    let Cell { exact, simulated } = one.cell;
    let shares = |shares: Option<[f64; 3]>| match shares {
        Some([win, draw, loss]) => format!("{win:>7.2} {draw:>7.2} {loss:>7.2}"),
        None => format!("{:>23}", ""),
    };
    output.line(format_args!(
        "   P{}     P{} {}   {}",
        one.first,
        one.second,
        shares(exact),
        shares(simulated)
    ))?;
    output.object(one)
}

fn print_mixed(one: &MixedMatch, output: &mut Output) -> Result<(), CliError> {
    let wins: String = one.wins.iter().map(|wins| format!("{wins:>7.2}")).collect();
    let (best, gain) = one.best();
    output.line(format_args!(
        "{} P{}      P{}  {wins}   {best:>4} {gain:>+5.2}",
        if one.moves_first { "first " } else { "second" },
        one.player,
        one.opponent
    ))?;
    output.object(one)
}
