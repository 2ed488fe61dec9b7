//! Every option of Kitai, one entry each.

use super::OptionKind::{Choice, Integer, Number, Text};
use super::OptionSpec;

/// All options: those every method heeds first, then by family.
pub static OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "method",
        kind: Choice(&["minimax", "uct"]),
        default: "minimax",
        help: "The idea behind the search.",
        methods: &[],
    },
    OptionSpec {
        name: "eval",
        kind: Choice(&[
            "mobility", "discs", "shioda", "zebra", "zebra-w0", "zebra-w1", "zebra-w2", "zebra-w3",
            "zebra-w4", "zebra-w5", "zebra-w6", "zebra-w7", "zebra-w8", "zebra-w9",
        ]),
        default: "mobility",
        help: "What positions are worth: mobility (simple, no weights), discs (disc difference), \
               shioda (square values, stable edges, moves), zebra (a coefficient file; w1 to w9 \
               leave patterns out).",
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
        methods: &["minimax"],
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
];
