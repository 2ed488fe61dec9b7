//! The opponent models as methods of Othello: options in, players out.

use super::estimate::{Estimate, Suspect};
use super::mixed::{Mixed, When};
use super::om::ModelDepth;
use super::om_method::{Om, OmSettings, Opponent};
use super::paper_player::{PaperPlayer, PaperSettings};
use super::schedule::TurnSchedule;
use super::speculative::Reading;
use super::watch::{QUICK_DEPTH, Watch};
use crate::eval::{self, Evaluation, registry::EVAL_OR_SAME};
use crate::options::{OptionError, OptionSpec, Options, TypedOption};
use crate::random::SEED;
use crate::search::limits::DEEPENING_LIMITS;
use crate::search::minimax::{self, Minimax, MinimaxSettings};
use crate::search::registry::MethodSpec;

static LOOK_AHEAD: TypedOption<i64> = TypedOption::integer(
    "look-ahead",
    0,
    20,
    4,
    "Plies that a semi-random or speculative player looks ahead, d; 0 sees nothing.",
);
static WIN_THRESHOLD: TypedOption<f64> = TypedOption::number(
    "win-threshold",
    0.0,
    64.0,
    8.0,
    "Discs by which a semi-random player's evaluation calls a position won or lost; 0 knows only \
     finished games, as the paper's players.",
);
static OPPONENT_DEPTH: TypedOption<i64> = TypedOption::integer(
    "opponent-depth",
    0,
    20,
    2,
    "Plies that the opponent is taken to look ahead, its own move included.",
);
static CHANCE: TypedOption<String> = TypedOption::choice(
    "chance",
    &["one-mistake", "expectimax", "won-leaves"],
    "one-mistake",
    "How a speculative player computes its chance of winning: the replies that lose by force, an \
     average over all replies to come, or the share of won leaves.",
);
static OPPONENT_MODEL: TypedOption<String> = TypedOption::choice(
    "opponent-model",
    &["minimax", "to-leaves", "semi-random", "estimate"],
    "minimax",
    "What OM search takes its opponent for: minimax of opponent-depth plies, minimax to the leaves \
     of the own search, a semi-random player, or whoever its moves so far say it is.",
);
static OPPONENT_EVAL: TypedOption<String> = TypedOption::choice(
    "opponent-eval",
    &EVAL_OR_SAME,
    "same",
    "The evaluation that the opponent is taken to have; same is our own.",
);
static OPPONENT_SOFTNESS: TypedOption<f64> = TypedOption::number(
    "opponent-softness",
    0.0,
    64.0,
    0.0,
    "Discs: how readily the opponent is taken to play a worse move, as softness.",
);
static ESTIMATE_DEPTH: TypedOption<i64> = TypedOption::integer(
    "estimate-depth",
    1,
    6,
    QUICK_DEPTH as i64,
    "Plies of the deepest players that opponent-model=estimate considers; models of more than 2 \
     plies are asked in the background, so their moves may count a little later.",
);
static RISK: TypedOption<f64> = TypedOption::number(
    "risk",
    0.0,
    128.0,
    1.0,
    "Discs of minimax value that OM search may give up for what it expects; 128 is no limit.",
);
static MODEL_LEVELS: TypedOption<i64> = TypedOption::integer(
    "model-levels",
    1,
    3,
    1,
    "1: the opponent plays minimax; 2: it models us by minimax; 3: it models us modelling it.",
);
static MIX: TypedOption<String> = TypedOption::choice(
    "mix",
    &["om", "speculative"],
    "om",
    "What a mixed player mixes: OM search with minimax, or the paper's speculative with \
     semi-random play.",
);
/// When a mixed player may speculate; `kitai opponent --learn` chooses one for an opponent.
pub const SCHEDULES: [&str; 10] =
    ["000", "100", "010", "001", "110", "101", "011", "111", "discs", "score"];
static SCHEDULE: TypedOption<String> = TypedOption::choice(
    "schedule",
    &SCHEDULES,
    "score",
    "When a mixed player speculates: by its first three turns (110: the first two; 111: always), by \
     the discs on the board, or by the score.",
);
static SPECULATE_UNTIL: TypedOption<i64> = TypedOption::integer(
    "speculate-until",
    4,
    64,
    40,
    "Discs on the board up to which a mixed player with schedule=discs speculates.",
);
static SPECULATE_BEHIND: TypedOption<f64> = TypedOption::number(
    "speculate-behind",
    -64.0,
    64.0,
    2.0,
    "Discs that a mixed player with schedule=score must be behind to speculate; negative: while it \
     is ahead by less.",
);

const PAPER: &[&OptionSpec] = &[&LOOK_AHEAD.spec, &WIN_THRESHOLD.spec, &SEED.spec];
const SPECULATION: &[&OptionSpec] = &[&OPPONENT_DEPTH.spec, &CHANCE.spec];
const MODEL: &[&OptionSpec] = &[
    &OPPONENT_MODEL.spec,
    &OPPONENT_EVAL.spec,
    &OPPONENT_SOFTNESS.spec,
    &ESTIMATE_DEPTH.spec,
    &RISK.spec,
    &MODEL_LEVELS.spec,
];
const OM: &[&OptionSpec] = &[&OPPONENT_DEPTH.spec, &WIN_THRESHOLD.spec, &minimax::HASH.spec];
const MIXING: &[&OptionSpec] = &[
    &MIX.spec,
    &SCHEDULE.spec,
    &SPECULATE_UNTIL.spec,
    &SPECULATE_BEHIND.spec,
    &minimax::HASH.spec,
];

pub(crate) const METHODS: &[MethodSpec] = &[
    MethodSpec {
        name: "semi-random",
        help: "Kajihara and Iida's P_d: random but for the wins and losses it sees.",
        limits: DEEPENING_LIMITS,
        options: &[PAPER],
        build: |options| {
            let evaluator = eval::build(options)?;
            Ok(Box::new(PaperPlayer::new(paper_settings(options), None, evaluator)))
        },
    },
    MethodSpec {
        name: "speculative",
        help: "Their speculative player: sets traps for a semi-random opponent.",
        limits: DEEPENING_LIMITS,
        options: &[PAPER, SPECULATION],
        build: |options| {
            let evaluator = eval::build(options)?;
            let player =
                PaperPlayer::new(paper_settings(options), Some(speculation(options)), evaluator);
            Ok(Box::new(player))
        },
    },
    MethodSpec {
        name: "om",
        help: "Opponent-model search: expects the replies of the opponent's own evaluation.",
        limits: DEEPENING_LIMITS,
        options: &[MODEL, OM, minimax::SOLVER_OPTIONS],
        build: |options| Ok(Box::new(om(options)?)),
    },
    MethodSpec {
        name: "mixed",
        help: "Speculates at some times and plays safe at others.",
        limits: DEEPENING_LIMITS,
        options: &[MIXING, PAPER, SPECULATION, MODEL, minimax::SOLVER_OPTIONS],
        build: |options| Ok(Box::new(mixed(options)?)),
    },
];

fn paper_settings(options: &Options) -> PaperSettings {
    PaperSettings {
        look_ahead: options.get(&LOOK_AHEAD) as u32,
        threshold: options.get(&WIN_THRESHOLD),
        seed: options.get(&SEED) as u64,
    }
}

/// The opponent's depth and how chances are computed.
fn speculation(options: &Options) -> (u32, Reading) {
    let reading = match options.get(&CHANCE).as_str() {
        "expectimax" => Reading::Expectimax,
        "won-leaves" => Reading::WonLeaves,
        _ => Reading::OneMistake,
    };
    (options.get(&OPPONENT_DEPTH) as u32, reading)
}

fn opponent_evaluation(options: &Options) -> Result<Evaluation, OptionError> {
    let name = options.get(&OPPONENT_EVAL);
    match name.as_str() {
        "same" => eval::choose(options),
        name => eval::registry::by_name(name, options),
    }
}

fn om(options: &Options) -> Result<Om, OptionError> {
    let depth = options.get(&OPPONENT_DEPTH) as u32;
    let softness = options.get(&OPPONENT_SOFTNESS);
    let threshold = options.get(&WIN_THRESHOLD);
    let levels = options.get(&MODEL_LEVELS) as u32;
    let most_depth = options.get(&ESTIMATE_DEPTH) as u32;
    let opponent = match options.get(&OPPONENT_MODEL).as_str() {
        "semi-random" => Opponent::SemiRandom { depth, threshold },
        "estimate" => Opponent::Estimated,
        "to-leaves" => Opponent::Minimax { depth: ModelDepth::ToLeaves, softness, levels },
        _ => Opponent::Minimax { depth: ModelDepth::Plies(depth), softness, levels },
    };
    let watch = match opponent {
        Opponent::Estimated => Some(Watch::new(unknown_opponent(options, most_depth)?)),
        _ => None,
    };
    let settings = OmSettings { opponent, risk: options.get(&RISK) };
    let theirs = opponent_evaluation(options)?;
    Ok(Om::new(settings, eval::choose(options)?, theirs, solver(options)?, watch))
}

/// An opponent who has not moved yet: one of the evaluations that need no file, or Zebra's if its file
/// is given.
fn unknown_opponent(options: &Options, most_depth: u32) -> Result<Estimate, OptionError> {
    let mut names = vec!["discs", "mobility", "shioda", "pattern"];
    if !options.get(&eval::zebra::COEFFICIENTS).is_empty() {
        names.push("zebra");
    }
    let suspect = |name| {
        eval::registry::by_name(name, options).map(|evaluation| Suspect { name, evaluation })
    };
    let suspects = names.into_iter().map(suspect).collect::<Result<_, _>>()?;
    Ok(Estimate::new(suspects, most_depth))
}

/// Minimax with the same evaluation: the end of the game, and the safe half of a mixture.
fn solver(options: &Options) -> Result<Minimax, OptionError> {
    let hash = options.get(&minimax::HASH);
    Minimax::new(eval::choose(options)?, MinimaxSettings::from_options(options), hash)
}

fn mixed(options: &Options) -> Result<Mixed, OptionError> {
    /// Searches with tables of their own, at most.
    const TABLES: i64 = 3;
    let mut options = options.clone();
    options.put(&minimax::HASH, (options.get(&minimax::HASH) / TABLES).max(1))?;
    let options = &options;
    let until = options.get(&SPECULATE_UNTIL) as u32;
    let behind = options.get(&SPECULATE_BEHIND);
    let when = match options.get(&SCHEDULE).as_str() {
        "discs" => When::Discs { until },
        "score" => When::Score { behind },
        turns => When::Turns(TurnSchedule::of_type(turns)),
    };
    let (paper, speculation) = (paper_settings(options), speculation(options));
    let (bold, safe) = (om(options)?, solver(options)?);
    if options.get(&MIX) == "om" {
        return Ok(Mixed::new(when, Box::new(bold), Box::new(safe), solver(options)?));
    }
    let player = |speculation| Ok(PaperPlayer::new(paper, speculation, eval::build(options)?));
    let bold = Box::new(player(Some(speculation))?);
    Ok(Mixed::new(when, bold, Box::new(player(None)?), safe))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_position, seeded};
    use crate::othello::{Move, Position};
    use crate::search::registry::build;
    use crate::search::{Limits, Method, Outcome, Request, StopFlag};

    fn method(settings: &[(&str, &str)]) -> Box<dyn Method> {
        let mut options = Options::new();
        options.set("eval", "mobility").unwrap();
        options.set("hash", "1").unwrap();
        for (name, value) in settings {
            options.set(name, value).unwrap();
        }
        build(&options).unwrap()
    }

    fn search(method: &mut dyn Method, request: &Request) -> Outcome {
        method.search(request, &StopFlag::new(), &mut |_| ())
    }

    fn chosen(settings: &[(&str, &str)], position: Position) -> Move {
        let request = Request::new(position, Limits::depth(3));
        search(&mut *method(settings), &request).best_move().unwrap()
    }

    #[test]
    fn a_semi_random_player_without_look_ahead_plays_every_move_by_seed() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..60 {
            let seed = seed.to_string();
            let settings = [("method", "semi-random"), ("look-ahead", "0"), ("seed", &seed)];
            seen.insert(chosen(&settings, Position::START).to_string());
        }
        assert_eq!(seen.len(), 4);
    }

    #[test]
    fn a_semi_random_player_near_the_end_takes_a_win_it_can_force() {
        let mut rng = seeded(41);
        let mut wins = 0;
        for _ in 0..60 {
            let position = random_position(4, &mut rng);
            if !position.has_move() {
                continue;
            }
            let settings = [("method", "semi-random"), ("look-ahead", "4"), ("win-threshold", "0")];
            let request = Request::new(position, Limits::default());
            let best = search(&mut *method(&settings), &request).best_move().unwrap();
            let value = |position| crate::search::endgame::solve(position);
            if value(position) > 0 {
                assert!(-value(position.after(best).unwrap()) > 0);
                wins += 1;
            }
        }
        assert!(wins > 10);
    }

    #[test]
    fn a_mixed_player_is_the_one_its_schedule_names() {
        let mut rng = seeded(42);
        let mut different = 0;
        for _ in 0..40 {
            let position = random_position(36, &mut rng);
            let play = |name, schedule, extra: (&str, &str)| {
                let settings = [
                    ("method", name),
                    ("opponent-eval", "discs"),
                    ("risk", "128"),
                    ("schedule", schedule),
                    extra,
                ];
                chosen(&settings, position)
            };
            let none = ("seed", "1");
            let (om, safe) = (play("om", "111", none), play("minimax", "111", none));
            assert_eq!(play("mixed", "111", none), om);
            assert_eq!(play("mixed", "000", none), safe);
            // 28 discs on the board; and nobody is 64 behind.
            assert_eq!(play("mixed", "discs", ("speculate-until", "28")), om);
            assert_eq!(play("mixed", "discs", ("speculate-until", "27")), safe);
            assert_eq!(play("mixed", "score", ("speculate-behind", "-64")), om);
            assert_eq!(play("mixed", "score", ("speculate-behind", "64")), safe);
            different += usize::from(om != safe);
        }
        assert!(different > 5, "{different}");
    }

    #[test]
    fn every_method_reports_lines_that_can_be_played() {
        let mut rng = seeded(43);
        for name in ["semi-random", "speculative", "om", "mixed"] {
            for empties in [58, 40, 20, 9, 3] {
                let position = random_position(empties, &mut rng);
                let mut request = Request::new(position, Limits::depth(3));
                request.multi_pv = 60;
                let lines = search(&mut *method(&[("method", name)]), &request).lines;
                assert_eq!(lines.len() as u32, position.legal_moves().count(), "{name}");
                for line in lines {
                    let mut board = position;
                    for played in line.pv {
                        board = board.after(played).expect("lines are playable");
                    }
                }
            }
        }
    }

    #[test]
    fn a_recursive_model_searches_with_each_kind_of_opponent() {
        let position = random_position(40, &mut seeded(44));
        for model in ["minimax", "to-leaves", "semi-random", "estimate"] {
            for levels in ["1", "2", "3"] {
                let settings =
                    [("method", "om"), ("opponent-model", model), ("model-levels", levels)];
                let request = Request::new(position, Limits::depth(3));
                let outcome = search(&mut *method(&settings), &request);
                assert_eq!(outcome.depth, 3, "{model} {levels}");
            }
        }
    }
}
