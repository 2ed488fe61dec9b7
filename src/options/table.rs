//! Every option of Kitai, one entry each.

use super::OptionKind::{Choice, Integer, Number, Switch, Text};
use super::OptionSpec;

/// The methods of the expectation family.
const EXPECTATION: &[&str] =
    &["expectation", "expected-value", "generalized-mean", "m-and-n", "product", "average"];

/// All options: those every method heeds first, then by family.
pub static OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "method",
        kind: Choice(&[
            "minimax",
            "uct",
            "expectation",
            "expected-value",
            "generalized-mean",
            "m-and-n",
            "product",
            "average",
        ]),
        default: "minimax",
        help: "The idea behind the search.",
        methods: &[],
    },
    OptionSpec {
        name: "eval",
        kind: Choice(&[
            "pattern", "mobility", "discs", "shioda", "zebra", "zebra-w0", "zebra-w1", "zebra-w2",
            "zebra-w3", "zebra-w4", "zebra-w5", "zebra-w6", "zebra-w7", "zebra-w8", "zebra-w9",
        ]),
        default: "pattern",
        help: "What positions are worth: pattern (trained tables), mobility (simple, no weights), discs (disc difference), \
               shioda (square values, stable edges, moves), zebra (a coefficient file; w1 to w9 \
               leave patterns out).",
        methods: &[],
    },
    OptionSpec {
        name: "weights",
        kind: Text,
        default: "",
        help: "Weights file for the pattern evaluation; empty means the ones in the program.",
        methods: &[],
    },
    OptionSpec {
        name: "zebra-coeffs",
        kind: Text,
        default: "",
        help: "File with Zebra's coefficients (coeffs2.bin) for the zebra evaluations.",
        methods: &[],
    },
    OptionSpec {
        name: "shioda-noise",
        kind: Number { min: 0.0, max: 1.0 },
        default: "0",
        help: "Random part of each term of the shioda evaluation, as a share of its size; fixed by \
               seed and position.",
        methods: &[],
    },
    OptionSpec {
        name: "depth",
        kind: Integer { min: 0, max: 60 },
        default: "0",
        help: "Greatest search depth in plies; 0 means no limit.",
        methods: &[],
    },
    OptionSpec {
        name: "nodes",
        kind: Integer { min: 0, max: i64::MAX },
        default: "0",
        help: "Greatest number of nodes per move; 0 means no limit.",
        methods: &[],
    },
    OptionSpec {
        name: "playouts",
        kind: Integer { min: 0, max: i64::MAX },
        default: "0",
        help: "Greatest number of playouts per move; 0 means no limit.",
        methods: &[],
    },
    OptionSpec {
        name: "move-time",
        kind: Integer { min: 0, max: 86_400_000 },
        default: "0",
        help: "Greatest thinking time per move in milliseconds; 0 means no limit.",
        methods: &[],
    },
    OptionSpec {
        name: "threads",
        kind: Integer { min: 1, max: 256 },
        default: "1",
        help: "Search threads; results repeat exactly only with 1.",
        methods: &[],
    },
    OptionSpec {
        name: "hash",
        kind: Integer { min: 1, max: 65_536 },
        default: "64",
        help: "Size of the transposition table in MiB.",
        methods: &["minimax", "expectation", "expected-value"],
    },
    OptionSpec {
        name: "selectivity",
        kind: Integer { min: 50, max: 100 },
        default: "73",
        help: "Confidence of forward pruning in the midgame, per cent; 100 prunes nothing.",
        methods: &["minimax"],
    },
    OptionSpec {
        name: "end-confidence",
        kind: Integer { min: 50, max: 100 },
        default: "100",
        help: "Confidence a search to the end of the game must reach, per cent; 100 is exact.",
        methods: &["minimax"],
    },
    OptionSpec {
        name: "exact-from",
        kind: Integer { min: 0, max: 60 },
        default: "0",
        help: "From how many empties on to solve exactly whatever the depth limit.",
        methods: &["minimax"],
    },
    OptionSpec {
        name: "seed",
        kind: Integer { min: 0, max: i64::MAX },
        default: "1",
        help: "Seed of everything random in a search.",
        methods: &[],
    },
    OptionSpec {
        name: "softness",
        kind: Number { min: 0.0, max: 64.0 },
        default: "0",
        help: "Discs: how readily a worse move is played; 0 always plays the best found.",
        methods: &[],
    },
    OptionSpec {
        name: "ponder",
        kind: Switch,
        default: "false",
        help: "Whether to think on the opponent's time.",
        methods: &[],
    },
    OptionSpec {
        name: "move-overhead",
        kind: Integer { min: 0, max: 10_000 },
        default: "50",
        help: "Milliseconds lost to lag with every move, kept back when a clock runs.",
        methods: &[],
    },
    OptionSpec {
        name: "fischer-time",
        kind: Switch,
        default: "false",
        help: "GTP time_settings MAIN B 0: B seconds are added per move (off: no time limit).",
        methods: &[],
    },
    OptionSpec {
        name: "memory",
        kind: Integer { min: 1, max: 65_536 },
        default: "256",
        help: "Greatest size of the search tree in MiB.",
        methods: &["uct"],
    },
    OptionSpec {
        name: "playout-policy",
        kind: Choice(&["uniform", "ranked"]),
        default: "uniform",
        help: "Moves of playouts: uniform, or ranked by evaluation with odds 2:1 from rank to rank.",
        methods: &["uct"],
    },
    OptionSpec {
        name: "ucb-c",
        kind: Number { min: 0.0, max: 100.0 },
        default: "0.1",
        help: "Weight C of exploration in UCB1.",
        methods: &["uct"],
    },
    OptionSpec {
        name: "prior-weight",
        kind: Number { min: 0.0, max: 1_000_000.0 },
        default: "5",
        help: "Virtual playouts W that the evaluation counts for in UCB1; 0 is plain UCT.",
        methods: &["uct"],
    },
    OptionSpec {
        name: "prior-log",
        kind: Choice(&["outside", "inside"]),
        default: "outside",
        help: "Where W stands in UCB1's numerator: ln n + W (as printed) or ln(n + W).",
        methods: &["uct"],
    },
    OptionSpec {
        name: "expand-threshold",
        kind: Integer { min: 1, max: 1_000_000_000 },
        default: "31",
        help: "Playouts after which a leaf of the tree gets children.",
        methods: &["uct"],
    },
    OptionSpec {
        name: "win-rate-map",
        kind: Choice(&["linear", "logistic"]),
        default: "linear",
        help: "How an evaluation becomes a win rate: linear with ends, or a logistic curve.",
        methods: &["uct"],
    },
    OptionSpec {
        name: "win-rate-range",
        kind: Number { min: 1.0, max: 1_000_000.0 },
        default: "5000",
        help: "The evaluation, in 1/128 disc, at which the linear map reaches certainty.",
        methods: &["uct"],
    },
    OptionSpec {
        name: "sigma",
        kind: Number { min: -1.0, max: 64.0 },
        default: "-1",
        help: "Standard deviation in discs of the deeper value around a static one; -1 takes it \
               from sigma-table.",
        methods: EXPECTATION,
    },
    OptionSpec {
        name: "sigma-table",
        kind: Text,
        default: "",
        help: "Deviations by move number: a shipped table or a file that `kitai sigma` wrote; \
               empty for the shipped table of the evaluation.",
        methods: EXPECTATION,
    },
    OptionSpec {
        name: "ahead",
        kind: Integer { min: 1, max: 60 },
        default: "2",
        help: "How many plies below a leaf the deviation stands for: chooses the rows of \
               sigma-table.",
        methods: EXPECTATION,
    },
    OptionSpec {
        name: "samples",
        kind: Integer { min: 0, max: 10_000 },
        default: "0",
        help: "Tuples of the papers' Monte Carlo estimate of the expectation; 0 computes it exactly.",
        methods: &["expectation", "expected-value"],
    },
    OptionSpec {
        name: "free-pass",
        kind: Switch,
        default: "true",
        help: "A forced pass uses up no depth, as in the papers' experiments.",
        methods: EXPECTATION,
    },
    OptionSpec {
        name: "exact-ends",
        kind: Switch,
        default: "true",
        help: "Finished games in the search count with their exact score; false treats them like \
               any other leaf, as the papers do.",
        methods: EXPECTATION,
    },
    OptionSpec {
        name: "mean-power",
        kind: Number { min: 0.0, max: 1000.0 },
        default: "32",
        help: "Power p of the generalised mean; great powers approach minimax.",
        methods: &["generalized-mean"],
    },
    OptionSpec {
        name: "best-own",
        kind: Integer { min: 1, max: 64 },
        default: "2",
        help: "M of M & N: how many of the own side's best moves count.",
        methods: &["m-and-n"],
    },
    OptionSpec {
        name: "best-opponent",
        kind: Integer { min: 1, max: 64 },
        default: "2",
        help: "N of M & N: how many of the opponent's best moves count.",
        methods: &["m-and-n"],
    },
    OptionSpec {
        name: "odds-scale",
        kind: Number { min: 0.1, max: 64.0 },
        default: "8",
        help: "Discs of advantage that make the odds of winning e to one.",
        methods: &["product", "average"],
    },
];
