//! The one source of randomness: a small, fast, seeded generator whose stream is fixed by its
//! algorithm (xoshiro256++), so that a seed means the same thing on every machine and version. Where
//! nobody chose a seed and repeating would be dull, the system gives one ([`fresh_seed`]).

use rand::SeedableRng;

use crate::options::TypedOption;

/// The seed of everything random in a search.
pub static SEED: TypedOption<i64> =
    TypedOption::integer("seed", 0, i64::MAX, 1, "Seed of everything random in a search.");

/// The generator used everywhere in Kitai.
pub type Random = rand_xoshiro::Xoshiro256PlusPlus;

/// A generator for this seed.
pub fn seeded(seed: u64) -> Random {
    Random::seed_from_u64(seed)
}

/// A seed that nobody chose, different every time: for games against people, which should not repeat
/// one another.
pub fn fresh_seed() -> u64 {
    rand::random()
}

/// An independent generator for the `index`-th piece of a seeded piece of work (a game of a match,
/// a chunk of self-play), the same whatever order the pieces run in.
pub fn seeded_part(seed: u64, index: u64) -> Random {
    // The golden-ratio multiple decorrelates neighbouring indices before SplitMix expands them.
    seeded(seed ^ index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
