//! What every back-up rule offers the iterative deepening: the value of a root move.

use super::node_counter::NodeCounter;
use super::tree::Tree;

/// A way to carry the values of leaves up to the moves at the root.
pub trait Backup<T: Tree> {
    /// The value, for the side to move at the root, of the root move that leads to `child`, looked
    /// at `depth` plies deeper; exact if above `floor`, otherwise any upper bound at most `floor`.
    /// Meaningless once the budget is exhausted.
    fn child_value(
        &mut self,
        tree: &T,
        child: &T::Node,
        depth: u32,
        floor: f64,
        counter: &mut NodeCounter,
    ) -> f64;

    /// The play expected after the child last valued above its floor.
    fn reply_line(&self) -> &[T::Action];
}
