//! The rating of the 2017 paper (Kitamura & Matsuzaki, equations 4 and 5): a player is rated
//! against anchors of known strength; the ratings from the separate matches are averaged with
//! weights E(1 − E), where E is the score in each.

use super::elo::from_score;

/// One match against an anchor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnchorResult {
    /// The anchor's rating.
    pub anchor: f64,
    /// The player's score per game against it, 0 to 1 (E_A).
    pub score: f64,
}

/// The weighted average; `None` if no match had a score strictly between 0 and 1, for then every
/// weight is 0.
pub fn rating(results: &[AnchorResult]) -> Option<f64> {
    let (mut weights, mut sum) = (0.0, 0.0);
    for result in results.iter().filter(|result| result.score > 0.0 && result.score < 1.0) {
        let weight = result.score * (1.0 - result.score);
        weights += weight;
        sum += weight * (result.anchor + from_score(result.score));
    }
    (weights > 0.0).then(|| sum / weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_worked_numbers_are_averaged_with_its_weights() {
        let results = [
            AnchorResult { anchor: 0.0, score: 0.66 },
            AnchorResult { anchor: 300.0, score: 0.08 },
        ];
        // 0.2244 · 115.2 + 0.0736 · (300 − 424.3), over 0.298.
        let expected = (0.2244 * 115.23 + 0.0736 * (300.0 - 424.28)) / 0.298;
        assert!((rating(&results).unwrap() - expected).abs() < 0.05);
    }

    #[test]
    fn clean_sweeps_have_no_weight() {
        assert_eq!(rating(&[AnchorResult { anchor: 0.0, score: 1.0 }]), None);
        assert_eq!(rating(&[]), None);
    }
}
