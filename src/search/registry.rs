//! Which methods there are: one line each.

use super::expectation::method as expectation;
use super::{Method, mcts, minimax};
use crate::options::{OptionError, Options};

/// A method as the registry knows it.
pub struct MethodSpec {
    /// The value of the `method` option.
    pub name: &'static str,
    /// One sentence for lists.
    pub help: &'static str,
    /// Makes a searcher from option values.
    pub build: fn(&Options) -> Result<Box<dyn Method>, OptionError>,
}

/// Every method. Adding one is a line here and its name among the `method` option's choices.
static METHODS: &[MethodSpec] = &[
    MethodSpec {
        name: "minimax",
        help: "Principal variation search with ProbCut and an exact endgame solver.",
        build: minimax::build,
    },
    MethodSpec {
        name: "uct",
        help: "UCT as in the 2017 MCTS paper: players plain, T and E by prior and playout policy.",
        build: mcts::uct::build,
    },
    MethodSpec {
        name: "mcts",
        help: "Monte Carlo tree search for play: PUCT with evaluated leaves and proven endings.",
        build: mcts::puct::build,
    },
    MethodSpec {
        name: "expectation",
        help: "Kobayashi et al. 2002: leaf parents get the mean of the best of uncertain leaves.",
        build: expectation::build_expectation,
    },
    MethodSpec {
        name: "expected-value",
        help: "Tebika et al.: the same expectation against an opponent who plays plain minimax.",
        build: expectation::build_expected_value,
    },
    MethodSpec {
        name: "generalized-mean",
        help: "Rivest's min/max approximation: generalised means instead of extremes.",
        build: expectation::build_generalized_mean,
    },
    MethodSpec {
        name: "m-and-n",
        help: "Slagle and Dixon's M & N: the best few children of every node count.",
        build: expectation::build_m_and_n,
    },
    MethodSpec {
        name: "product",
        help: "Product propagation of winning chances.",
        build: expectation::build_product,
    },
    MethodSpec {
        name: "average",
        help: "The average of product propagation and minimax on winning chances.",
        build: expectation::build_average,
    },
];

/// All methods.
pub fn methods() -> &'static [MethodSpec] {
    METHODS
}

/// The method that the options choose, made with their values.
///
/// # Errors
/// A value that cannot be used, such as a weights file that cannot be read.
pub fn build(options: &Options) -> Result<Box<dyn Method>, OptionError> {
    let name = options.text("method");
    let spec = METHODS
        .iter()
        .find(|method| method.name == name)
        .expect("the choices of the method option are the registered methods (tested)");
    (spec.build)(options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::OptionKind;

    #[test]
    fn the_method_option_offers_exactly_the_registered_methods() {
        let spec = Options::spec("method").unwrap();
        let names: Vec<_> = METHODS.iter().map(|method| method.name).collect();
        assert_eq!(spec.kind, OptionKind::Choice(names.leak()));
    }
}
