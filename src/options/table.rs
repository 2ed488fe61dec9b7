//! Every option of Kitai, one entry each.

use super::OptionKind::{Choice, Integer, Number, Text};
use super::OptionSpec;

/// All options: those every method heeds first, then by family.
pub static OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "method",
        kind: Choice(&["minimax"]),
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
        name: "seed",
        kind: Integer { min: 0, max: i64::MAX },
        default: "1",
        help: "Seed of everything random in a search.",
        methods: &[],
    },
];
