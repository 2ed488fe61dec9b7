//! The tuned numbers of the endgame solver, with their units and where they come from.

/// By number of empties: from which `alpha` (discs) on the stability cut-off is worth trying.
/// The shape is common to the strong programs; 99 means never.
pub(super) static STABILITY_TRY: [i32; 64] = {
    let mut table = [99; 64];
    let mut empties = 4;
    while empties < 48 {
        table[empties] = match empties {
            4..=9 => 6 + 2 * (empties as i32 - 4),
            10..=24 => 20 + 2 * (empties as i32 - 10),
            25..=40 => 48 + (empties as i32 - 24),
            _ => 64,
        };
        empties += 1;
    }
    table
};

/// From how many empties on the lean solver looks at the stop flags: below, a node takes microseconds.
pub(super) const POLL_EMPTIES: u32 = 9;

/// Up to how many empties the moves of a node stay unsorted where all of them are expected to fail.
pub(super) const UNSORTED_EMPTIES: u32 = 7;
