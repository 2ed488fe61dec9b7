//! Figure 2 of Kajihara and Iida, as recovered from their text, as a game.

use std::fmt;

use super::forced::{GameEnds, LookAhead};
use super::speculative::{Reading, Speculation};
use crate::game::{Game, Side};
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::{Limits, StopFlag};

/// Nodes numbered breadth first, the first player X to move at node 1.
struct Figure2;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Node(u8);

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Game for Figure2 {
    type State = Node;
    type Action = Node;

    fn start(&self) -> Node {
        Node(1)
    }

    fn actions(&self, state: &Node) -> Vec<Node> {
        let children = match state.0 {
            1 => 2..=4,
            2 => 5..=7,
            3 => 8..=9,
            4 => 10..=11,
            // Two children each: 5 has 12 and 13, 6 has 14 and 15, …, 11 has 24 and 25.
            node @ 5..=11 => 2 * node + 2..=2 * node + 3,
            node @ 14..=17 => node + 12..=node + 12,
            _ => return Vec::new(),
        };
        children.map(Node).collect()
    }

    fn apply(&self, _: &Node, action: Node) -> Node {
        action
    }

    fn to_move(&self, state: &Node) -> Side {
        match state.0 {
            1 | 5..=11 | 26.. => Side::First,
            _ => Side::Second,
        }
    }

    fn terminal_value(&self, state: &Node) -> Option<f64> {
        match state.0 {
            12 | 13 | 18 => Some(-1.0),
            19.. => Some(0.0),
            _ => None,
        }
    }
}

#[test]
fn figure_2_has_its_printed_expectations_and_leaf_shares() {
    let stop = StopFlag::new();
    let mut counter = NodeCounter::new(&Limits::default(), &stop);
    let mut look = LookAhead::new(&Figure2, GameEnds);
    for (reading, expected, chosen) in [
        (Reading::Expectimax, [1.0 / 3.0, 1.0 / 2.0, 0.0], Node(3)),
        (Reading::WonLeaves, [2.0 / 6.0, 1.0 / 4.0, 0.0], Node(2)),
        // A player that sees its own losses within 1 + 1 plies avoids nodes 5 and 8.
        (Reading::OneMistake, [0.0; 3], Node(2)),
    ] {
        let speculation = Speculation { own_depth: 4, opponent_depth: 1, reading };
        let chances = [2, 3, 4].map(|node| look.chance(&Node(node), &speculation, &mut counter));
        assert_eq!(chances, expected, "{reading:?}");
        let moves = Figure2.actions(&Node(1));
        let found = look.speculate(&Node(1), &moves, &speculation, &mut counter);
        assert_eq!(found.map(|(action, _)| action), Some(chosen), "{reading:?}");
    }
    // Against P_0, which sees nothing, one mistake is what the figure draws.
    let speculation = Speculation { own_depth: 4, opponent_depth: 0, reading: Reading::OneMistake };
    let chances = [2, 3, 4].map(|node| look.chance(&Node(node), &speculation, &mut counter));
    assert_eq!(chances, [1.0 / 3.0, 1.0 / 2.0, 0.0]);
}
