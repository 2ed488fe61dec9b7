//! The tree of the strong player: a compact arena that many threads grow at once and that never
//! outgrows its cap.
//!
//! A [`Node`] is 32 bytes of atomics; the children of a node stand side by side in one block.
//! Chunks of the arena are made when first needed. Blocks that are no longer wanted (the branches
//! not played, the branches folded because the arena is full) go to a list of garbage in constant
//! time; whoever next needs a block takes them apart one level at a time, so no search ever waits
//! for a tree to be freed.
//!
//! Values in a node are from the point of view of the side that moves *into* it.

use std::sync::atomic::{
    AtomicU32, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::parameters::{FOLD_SHARE, FOLD_VISITS};
use crate::memory::{OutOfMemory, has_room};
use crate::othello::{Move, Square};

/// The place of a node in the arena.
pub type NodeIndex = u32;

/// Where the root always stands.
pub const ROOT: NodeIndex = 0;

/// `first_child` of a node without children: the root is nobody's child.
const NO_CHILDREN: u32 = 0;
/// `first_child` while a thread is making the children.
const EXPANDING: u32 = u32::MAX;

/// Nodes of a chunk; a multiple of every block size would be wasteful, so blocks do not straddle.
const CHUNK: usize = 1 << 14;
/// Blocks come in multiples of this many nodes.
const BLOCK_STEP: usize = 4;
/// Block sizes: up to 64 children.
const CLASSES: usize = 64 / BLOCK_STEP;

/// One step of a value in a sum of values.
const VALUE_STEPS: f32 = (1 << 20) as f32;

/// Proven bounds of the final score for the side that moved into the node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The score is at least this.
    pub lower: i8,
    /// The score is at most this.
    pub upper: i8,
}

impl Bounds {
    /// Nothing is proven.
    pub const UNKNOWN: Bounds = Bounds { lower: -64, upper: 64 };

    /// The score itself.
    pub const fn exactly(score: i32) -> Bounds {
        Bounds { lower: score as i8, upper: score as i8 }
    }

    /// Whether the score is proven.
    pub const fn is_exact(self) -> bool {
        self.lower >= self.upper
    }
}

/// What is known when a node is made.
#[derive(Clone, Copy, Debug)]
pub struct NewChild {
    /// The move into the node.
    pub played: Move,
    /// The win rate its evaluation stands for.
    pub estimate: f32,
    /// How likely the move is to be best.
    pub prior: f32,
}

/// One position of the tree.
#[derive(Default)]
pub struct Node {
    visits: AtomicU32,
    first_child: AtomicU32,
    value_sum: AtomicU64,
    estimate: AtomicU32,
    best: AtomicU32,
    prior: AtomicU32,
    /// From the lowest byte: square of the move (64 for a pass), number of children, bounds.
    packed: AtomicU32,
}

impl Node {
    fn reset(&self, child: NewChild) {
        let square = child.played.square().map_or(64, |square| square.index() as u32);
        self.visits.store(0, Relaxed);
        self.first_child.store(NO_CHILDREN, Relaxed);
        self.value_sum.store(0, Relaxed);
        self.estimate.store(child.estimate.to_bits(), Relaxed);
        self.best.store(child.estimate.to_bits(), Relaxed);
        self.prior.store(child.prior.to_bits(), Relaxed);
        self.packed.store(square | pack(Bounds::UNKNOWN), Relaxed);
    }

    fn copy_from(&self, other: &Node) {
        self.visits.store(other.visits.load(Relaxed), Relaxed);
        self.first_child.store(other.first_child.load(Relaxed), Relaxed);
        self.value_sum.store(other.value_sum.load(Relaxed), Relaxed);
        self.estimate.store(other.estimate.load(Relaxed), Relaxed);
        self.best.store(other.best.load(Relaxed), Relaxed);
        self.prior.store(other.prior.load(Relaxed), Relaxed);
        self.packed.store(other.packed.load(Relaxed), Relaxed);
    }

    /// The move into this node.
    pub fn played(&self) -> Move {
        Square::new(self.packed.load(Relaxed) as u8).map_or(Move::Pass, Move::Place)
    }

    /// Visits, those still under way included.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// Counts a visit whose value is not known yet: until then it weighs as a loss, which sends
    /// other threads elsewhere.
    #[inline]
    pub fn begin_visit(&self) {
        self.visits.fetch_add(1, Relaxed);
    }

    /// Adds the value of a visit begun before.
    #[inline]
    pub fn end_visit(&self, value: f32) {
        self.value_sum.fetch_add((value * VALUE_STEPS) as u64, Relaxed);
    }

    /// The mean value of all visits; the estimate if there were none.
    #[inline]
    pub fn mean(&self) -> f32 {
        match self.visits() {
            0 => self.estimate(),
            visits => self.value_sum.load(Relaxed) as f32 / VALUE_STEPS / visits as f32,
        }
    }

    /// The win rate that the evaluation stood for when the node was made.
    #[inline]
    pub fn estimate(&self) -> f32 {
        f32::from_bits(self.estimate.load(Relaxed))
    }

    /// The minimax value of the estimates below.
    #[inline]
    pub fn best(&self) -> f32 {
        f32::from_bits(self.best.load(Relaxed))
    }

    /// Replaces the minimax value; whether it changed.
    pub fn set_best(&self, value: f32) -> bool {
        self.best.swap(value.to_bits(), Relaxed) != value.to_bits()
    }

    /// How likely the move was thought to be best.
    #[inline]
    pub fn prior(&self) -> f32 {
        f32::from_bits(self.prior.load(Relaxed))
    }

    /// What is proven.
    #[inline]
    pub fn bounds(&self) -> Bounds {
        let packed = self.packed.load(Relaxed);
        Bounds { lower: (packed >> 16) as i8, upper: (packed >> 24) as i8 }
    }

    /// Narrows the bounds; whether that changed them. Bounds never widen, so threads may come in
    /// any order.
    pub fn narrow(&self, bounds: Bounds) -> bool {
        let mut packed = self.packed.load(Relaxed);
        loop {
            let now = Bounds { lower: (packed >> 16) as i8, upper: (packed >> 24) as i8 };
            let narrowed =
                Bounds { lower: now.lower.max(bounds.lower), upper: now.upper.min(bounds.upper) };
            if narrowed == now {
                return false;
            }
            let new = packed & 0xffff | pack(narrowed);
            match self.packed.compare_exchange_weak(packed, new, Relaxed, Relaxed) {
                Ok(_) => return true,
                Err(found) => packed = found,
            }
        }
    }

    fn child_count(&self) -> usize {
        (self.packed.load(Relaxed) >> 8 & 0xff) as usize
    }

    /// Claims the right to make the children; `false` if someone else has it or has made them.
    pub fn claim(&self) -> bool {
        self.first_child.compare_exchange(NO_CHILDREN, EXPANDING, Relaxed, Relaxed).is_ok()
    }

    /// Gives the claim back without children.
    pub fn give_up_claim(&self) {
        self.first_child.store(NO_CHILDREN, Relaxed);
    }
}

const fn pack(bounds: Bounds) -> u32 {
    (bounds.lower as u8 as u32) << 16 | (bounds.upper as u8 as u32) << 24
}

/// A block of nodes: its first and its size class.
#[derive(Clone, Copy)]
struct Block {
    first: NodeIndex,
    class: u8,
}

impl Block {
    const fn size(self) -> usize {
        (self.class as usize + 1) * BLOCK_STEP
    }

    const fn class_for(children: usize) -> u8 {
        (children.saturating_sub(1) / BLOCK_STEP) as u8
    }
}

/// Which parts of the arena are to be had.
#[derive(Default)]
struct Store {
    /// Nodes from here on were never used.
    fresh: usize,
    /// Free blocks by class.
    free: [Vec<NodeIndex>; CLASSES],
    /// Blocks whose nodes may still have children of their own.
    garbage: Vec<Block>,
}

/// The arena and the tree in it.
pub struct Tree {
    chunks: Box<[OnceLock<Box<[Node]>>]>,
    store: Mutex<Store>,
}

impl Tree {
    /// An empty tree that takes at most this many bytes, lists of free blocks included. Only the
    /// first part is taken from the system now; when it grants no more, the tree is full.
    ///
    /// # Errors
    /// If there is no memory even for the root.
    pub fn new(bytes: usize) -> Result<Tree, OutOfMemory> {
        let per_node = size_of::<Node>() + size_of::<Block>() / BLOCK_STEP;
        let most = (EXPANDING as usize) / CHUNK;
        let chunks = (bytes / per_node / CHUNK).clamp(1, most);
        let tree = Tree {
            chunks: std::iter::repeat_with(OnceLock::new).take(chunks).collect(),
            // The first block is the root's.
            store: Mutex::new(Store { fresh: BLOCK_STEP, ..Store::default() }),
        };
        tree.make_chunk(0).ok_or(OutOfMemory::of_bytes(CHUNK * size_of::<Node>()))?;
        tree.node(ROOT).reset(NewChild { played: Move::Pass, estimate: 0.5, prior: 1.0 });
        Ok(tree)
    }

    /// Makes sure that a chunk is there; `None` if the system grants no memory for it.
    fn make_chunk(&self, number: usize) -> Option<()> {
        if self.chunks[number].get().is_none() {
            // One look for so many chunks, not for each.
            const LOOK_EVERY: usize = 32;
            let step = LOOK_EVERY * CHUNK * size_of::<Node>();
            if number != 0 && number.is_multiple_of(LOOK_EVERY) && !has_room(step) {
                return None;
            }
            let mut nodes = Vec::new();
            nodes.try_reserve_exact(CHUNK).ok()?;
            nodes.resize_with(CHUNK, Node::default);
            // Whoever came first made the same.
            let _ = self.chunks[number].set(nodes.into_boxed_slice());
        }
        Some(())
    }

    /// Bytes of the chunks made so far.
    pub fn bytes(&self) -> usize {
        let made = self.chunks.iter().filter(|chunk| chunk.get().is_some()).count();
        made * CHUNK * size_of::<Node>()
    }

    /// The node at this place.
    #[inline]
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.chunk(index)[index as usize % CHUNK]
    }

    #[inline]
    fn chunk(&self, index: NodeIndex) -> &[Node] {
        self.chunks[index as usize / CHUNK]
            .get()
            .expect("a chunk is made before any of its nodes is handed out")
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The children of a node and the place of the first; `None` if it has none (yet).
    #[inline]
    pub fn children(&self, node: &Node) -> Option<(NodeIndex, &[Node])> {
        match node.first_child.load(Acquire) {
            NO_CHILDREN | EXPANDING => None,
            first => {
                let from = first as usize % CHUNK;
                Some((first, &self.chunk(first)[from..from + node.child_count()]))
            }
        }
    }

    /// Gives a claimed node its children; `false` (and the claim given back) if the arena is full.
    pub fn grow(&self, parent: &Node, children: &[NewChild]) -> bool {
        let Some(first) = self.take(children.len()) else {
            parent.give_up_claim();
            return false;
        };
        let from = first as usize % CHUNK;
        for (node, child) in self.chunk(first)[from..].iter().zip(children) {
            node.reset(*child);
        }
        parent.packed.fetch_and(!0xff00, Relaxed);
        parent.packed.fetch_or((children.len() as u32) << 8, Relaxed);
        parent.first_child.store(first, Release);
        true
    }

    /// A block for so many children.
    fn take(&self, children: usize) -> Option<NodeIndex> {
        let class = Block::class_for(children);
        let mut store = self.store();
        if let Some(first) = store.free[usize::from(class)].pop() {
            return Some(first);
        }
        if let Some(first) = self.take_fresh(&mut store, class) {
            return Some(first);
        }
        while let Some(block) = store.garbage.pop() {
            self.take_apart(&mut store, block);
            if block.class == class {
                return store.free[usize::from(class)].pop();
            }
        }
        // The smaller ones are used up: split a larger one.
        let larger =
            (class + 1..CLASSES as u8).find(|&c| !store.free[usize::from(c)].is_empty())?;
        let first = store.free[usize::from(larger)].pop()?;
        let rest = first + Block { first, class }.size() as NodeIndex;
        store.free[usize::from(larger - class - 1)].push(rest);
        Some(first)
    }

    fn take_fresh(&self, store: &mut Store, class: u8) -> Option<NodeIndex> {
        let size = Block { first: 0, class }.size();
        let left = CHUNK - store.fresh % CHUNK;
        if left < size {
            let first = store.fresh as NodeIndex;
            store.free[left / BLOCK_STEP - 1].push(first);
            store.fresh += left;
        }
        let first = store.fresh;
        if first + size > self.chunks.len() * CHUNK {
            return None;
        }
        self.make_chunk(first / CHUNK)?;
        store.fresh += size;
        Some(first as NodeIndex)
    }

    /// Frees a block; the blocks of its nodes' children become garbage.
    fn take_apart(&self, store: &mut Store, block: Block) {
        let from = block.first as usize % CHUNK;
        for node in &self.chunk(block.first)[from..from + block.size()] {
            self.discard_children(store, node);
        }
        store.free[usize::from(block.class)].push(block.first);
    }

    fn discard_children(&self, store: &mut Store, node: &Node) {
        let first = node.first_child.swap(NO_CHILDREN, Relaxed);
        if first != NO_CHILDREN && first != EXPANDING {
            store.garbage.push(Block { first, class: Block::class_for(node.child_count()) });
        }
    }

    /// Makes a node the root and everything outside its subtree garbage. No other thread may be
    /// in the tree: hence `&mut`.
    pub fn make_root(&mut self, index: NodeIndex) {
        if index == ROOT {
            return;
        }
        let mut store = self.store();
        let chosen = self.node(index);
        let (root, kept) = (self.node(ROOT), Node::default());
        kept.copy_from(chosen);
        chosen.first_child.store(NO_CHILDREN, Relaxed);
        self.discard_children(&mut store, root);
        root.copy_from(&kept);
    }

    /// Makes the whole tree garbage and leaves an unvisited root.
    pub fn forget(&mut self) {
        let mut store = self.store();
        self.discard_children(&mut store, self.node(ROOT));
        self.node(ROOT).reset(NewChild { played: Move::Pass, estimate: 0.5, prior: 1.0 });
    }

    /// Makes room for new blocks by turning the least visited nodes back into leaves, which keep
    /// what they know; gives up early when `stopped` says so. No other thread may be in the tree:
    /// hence `&mut`.
    pub fn fold(&mut self, stopped: impl Fn() -> bool) {
        let nodes = self.bytes() / size_of::<Node>();
        let wanted = (nodes as f64 * FOLD_SHARE) as usize;
        let (mut freed, mut most_visits) = (0, FOLD_VISITS);
        while freed < wanted && most_visits / 2 <= self.node(ROOT).visits() && !stopped() {
            let mut store = self.store();
            self.discard_below(&mut store, most_visits);
            while let Some(block) = store.garbage.pop() {
                self.take_apart(&mut store, block);
                freed += block.size();
                if stopped() {
                    return;
                }
            }
            most_visits = most_visits.saturating_mul(2);
        }
    }

    /// Discards the children of every node with at most this many visits, the root excepted.
    fn discard_below(&self, store: &mut Store, most_visits: u32) {
        let mut pending = vec![ROOT];
        while let Some(index) = pending.pop() {
            let Some((first, children)) = self.children(self.node(index)) else { continue };
            for (child, node) in (first..).zip(children) {
                if node.visits() > most_visits {
                    pending.push(child);
                } else {
                    self.discard_children(store, node);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn children(count: usize) -> Vec<NewChild> {
        (0..count)
            .map(|i| NewChild {
                played: Move::Place(Square::new(i as u8).unwrap()),
                estimate: 0.25,
                prior: 0.5,
            })
            .collect()
    }

    fn grow(tree: &Tree, index: NodeIndex, count: usize) -> Option<NodeIndex> {
        let node = tree.node(index);
        assert!(node.claim());
        tree.grow(node, &children(count)).then(|| tree.children(node).unwrap().0)
    }

    #[test]
    fn a_node_is_half_a_cache_line() {
        assert_eq!(size_of::<Node>(), 32);
    }

    #[test]
    fn values_average_and_visits_under_way_weigh_as_losses() {
        let node = Node::default();
        node.reset(children(1)[0]);
        assert_eq!((node.mean(), node.best(), node.bounds()), (0.25, 0.25, Bounds::UNKNOWN));
        for value in [1.0, 0.5] {
            node.begin_visit();
            node.end_visit(value);
        }
        assert!((node.mean() - 0.75).abs() < 1e-5);
        node.begin_visit();
        assert!((node.mean() - 0.5).abs() < 1e-5);
    }

    #[test]
    fn bounds_only_narrow_and_leave_the_move_alone() {
        let node = Node::default();
        node.reset(children(6)[5]);
        assert!(node.narrow(Bounds { lower: -10, upper: 64 }));
        assert!(!node.narrow(Bounds { lower: -20, upper: 64 }));
        assert!(node.narrow(Bounds { lower: -64, upper: -8 }));
        assert_eq!(node.bounds(), Bounds { lower: -10, upper: -8 });
        assert!(node.narrow(Bounds::exactly(-8)) && node.bounds().is_exact());
        assert_eq!(node.played(), Move::Place(Square::new(5).unwrap()));
    }

    #[test]
    fn children_stand_side_by_side_and_a_second_claim_fails() {
        let tree = Tree::new(1 << 20).unwrap();
        let first = grow(&tree, ROOT, 5).unwrap();
        let (place, children) = tree.children(tree.node(ROOT)).unwrap();
        assert_eq!((place, children.len()), (first, 5));
        assert_eq!(children[3].played(), Move::Place(Square::new(3).unwrap()));
        assert!(!tree.node(ROOT).claim());
    }

    #[test]
    fn the_arena_is_never_exceeded_and_discarded_blocks_serve_again() {
        let bytes = 3 << 20;
        let mut tree = Tree::new(bytes).unwrap();
        let mut leaves = vec![ROOT];
        let mut grown = 0;
        while let Some(leaf) = leaves.pop() {
            let Some(first) = grow(&tree, leaf, 1 + grown % 17) else { break };
            let count = (1 + grown % 17) as NodeIndex;
            leaves.extend(first..first + count);
            grown += 1;
        }
        assert!(tree.bytes() <= bytes);
        assert!(grown > 3_000, "{grown}");
        // The same number again, in other shapes, after the old tree was let go.
        tree.forget();
        let full = tree.bytes();
        let mut leaves = std::collections::VecDeque::from([ROOT]);
        for _ in 0..grown * 9 / 10 {
            let leaf = leaves.pop_front().unwrap();
            let count = 1 + leaf as usize % 9;
            let first = grow(&tree, leaf, count).unwrap();
            leaves.extend(first..first + count as NodeIndex);
        }
        assert_eq!(tree.bytes(), full);
    }

    #[test]
    fn a_new_root_keeps_its_subtree_and_nothing_else() {
        let mut tree = Tree::new(1 << 20).unwrap();
        let first = grow(&tree, ROOT, 4).unwrap();
        let below = grow(&tree, first + 2, 3).unwrap();
        grow(&tree, first + 1, 9).unwrap();
        tree.node(first + 2).begin_visit();
        tree.node(below + 1).begin_visit();
        tree.make_root(first + 2);
        let (place, children) = tree.children(tree.node(ROOT)).unwrap();
        assert_eq!((place, children.len(), children[1].visits()), (below, 3, 1));
        assert_eq!(tree.node(ROOT).visits(), 1);
        // The rest comes back: the block of the old root's children and that of their children.
        while let Some(block) = { tree.store().garbage.pop() } {
            tree.take_apart(&mut tree.store(), block);
        }
        let free: Vec<usize> = tree.store().free.iter().map(Vec::len).collect();
        assert_eq!(free[..3], [1, 0, 1]);
    }

    #[test]
    fn folding_keeps_the_visited_and_frees_the_rest() {
        let mut tree = Tree::new(1 << 20).unwrap();
        let first = grow(&tree, ROOT, 2).unwrap();
        let busy = grow(&tree, first, 3).unwrap();
        let idle = grow(&tree, first + 1, 3).unwrap();
        grow(&tree, idle, 2).unwrap();
        let visit = |index, times| (0..times).for_each(|_| tree.node(index).begin_visit());
        visit(ROOT, 2 * FOLD_VISITS);
        visit(first, FOLD_VISITS + 1);
        visit(busy, FOLD_VISITS);
        visit(first + 1, FOLD_VISITS);
        tree.discard_below(&mut tree.store(), FOLD_VISITS);
        assert!(tree.children(tree.node(first)).is_some());
        assert!(tree.children(tree.node(first + 1)).is_none());
        assert_eq!(tree.node(first + 1).visits(), FOLD_VISITS, "a folded node keeps its counts");
        tree.fold(|| false);
        assert_eq!(tree.store().free[0].len(), 3, "blocks below the folded node, and all others");
    }

    #[test]
    fn a_larger_block_is_split_when_nothing_else_is_left() {
        let mut tree = Tree::new(1).unwrap();
        while tree.take(16).is_some() {}
        while tree.take(4).is_some() {}
        let class = Block::class_for(16);
        tree.store().garbage.push(Block { first: 16, class });
        assert_eq!(tree.take(5), Some(16));
        assert_eq!(tree.take(8), Some(24));
        assert_eq!(tree.take(1), None);
        tree.forget();
    }
}
