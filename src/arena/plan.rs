//! Who plays whom, from which opening, in which order: fixed before the first game.
//!
//! Everything about a game follows from its number and the match seed, so that games may run in
//! any order, on any number of workers and over any number of interruptions.

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::openings::Opening;
use super::opinions::Opinion;
use super::referee::Rules;
use super::spec::{PlayerRecord, PlayerSpec};
use crate::random::seeded_part;
use crate::statistics::Sprt;

/// A whole match or tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The players, names unique.
    pub players: Vec<PlayerSpec>,
    /// Who meets whom, by index; the first plays Black in the first game of each pair.
    pub pairings: Vec<(usize, usize)>,
    /// Pairs of games in each pairing.
    pub rounds: usize,
    /// At least one; round r uses opening r modulo their number.
    pub openings: Vec<Opening>,
    /// Where the openings came from, as the user wrote it.
    pub opening_source: String,
    /// Clock, margin and adjudication.
    pub rules: Rules,
    /// Seed of openings and of the players' games.
    pub seed: u64,
    /// Stop when this test has decided (one pairing only).
    pub sprt: Option<Sprt>,
    /// Players whose own games fix the scale on which the others are rated as the 2017 paper does.
    pub anchors: Vec<usize>,
    /// The player whose rating is 0; without one the mean of all is.
    #[serde(default)]
    pub zero: Option<usize>,
}

/// Kinds of tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Everyone meets everyone.
    RoundRobin,
    /// The first player meets each of the others.
    Gauntlet,
    /// Two players.
    HeadToHead,
    /// Who meets whom is listed.
    Pairings,
}

impl Kind {
    /// The pairings among so many players; none where they are listed by name.
    pub fn pairings(self, players: usize) -> Vec<(usize, usize)> {
        match self {
            Kind::RoundRobin => (0..players)
                .flat_map(|first| (first + 1..players).map(move |second| (first, second)))
                .collect(),
            Kind::Gauntlet => (1..players).map(|other| (0, other)).collect(),
            Kind::HeadToHead => vec![(0, 1)],
            Kind::Pairings => Vec::new(),
        }
    }
}

/// One game of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scheduled {
    /// Its number, from 0.
    pub game: usize,
    /// Index of its pairing.
    pub pairing: usize,
    /// Which pair of the pairing, from 0.
    pub round: usize,
    /// Index of the player with Black.
    pub black: usize,
    /// Index of the player with White.
    pub white: usize,
    /// Index of the opening.
    pub opening: usize,
    /// Seeds of Black and White.
    pub seeds: [u64; 2],
}

/// Everything that decides the games, as the log's first line keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchSettings {
    /// Version of Kitai.
    pub version: String,
    /// The players.
    pub players: Vec<PlayerRecord>,
    /// Who meets whom.
    pub pairings: Vec<(usize, usize)>,
    /// Games in each pairing.
    pub games: usize,
    /// Where the openings came from.
    pub openings: String,
    /// Fingerprint of the openings themselves.
    pub openings_digest: String,
    /// The clock.
    pub time: String,
    /// Margin in milliseconds.
    pub margin_ms: u64,
    /// Patience in milliseconds.
    pub patience_ms: u64,
    /// Empties from which games are solved.
    pub adjudicate: Option<u32>,
    /// Opinions that lose a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<Opinion>,
    /// Opinions that draw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<Opinion>,
    /// The match seed.
    pub seed: u64,
    /// The test that ends the match.
    pub sprt: Option<Sprt>,
}

impl Plan {
    /// Number of games.
    pub fn games(&self) -> usize {
        self.rounds * self.pairings.len() * 2
    }

    /// Search threads that a game needs at most at a time.
    pub fn threads(&self) -> usize {
        self.players.iter().map(PlayerSpec::threads).max().unwrap_or(1)
    }

    /// The game with this number: round by round, all pairings in each, both colours.
    ///
    /// # Panics
    /// If the plan has no such game.
    pub fn game(&self, game: usize) -> Scheduled {
        assert!(game < self.games(), "game {game} of {}", self.games());
        let (pair, swapped) = (game / 2, game % 2 == 1);
        let (round, pairing) = (pair / self.pairings.len(), pair % self.pairings.len());
        let (first, second) = self.pairings[pairing];
        let (black, white) = if swapped { (second, first) } else { (first, second) };
        let mut rng = seeded_part(self.seed, game as u64);
        Scheduled {
            game,
            pairing,
            round,
            black,
            white,
            opening: round % self.openings.len(),
            seeds: [rng.next_u64(), rng.next_u64()],
        }
    }

    /// What holds for Black and for White of a game: players may have clocks of their own.
    pub fn rules_of(&self, game: &Scheduled) -> [Rules; 2] {
        [game.black, game.white].map(|player| self.players[player].rules(&self.rules))
    }

    /// The settings for the log.
    pub fn settings(&self) -> MatchSettings {
        MatchSettings {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            players: self.players.iter().map(PlayerSpec::record).collect(),
            pairings: self.pairings.clone(),
            games: self.rounds * 2,
            openings: self.opening_source.clone(),
            openings_digest: digest(&self.openings),
            time: self.rules.control.to_string(),
            margin_ms: self.rules.margin.as_millis() as u64,
            patience_ms: self.rules.patience.as_millis() as u64,
            adjudicate: self.rules.adjudicate,
            resign: self.rules.resign,
            draw: self.rules.draw,
            seed: self.seed,
            sprt: self.sprt,
        }
    }
}

/// 64-bit FNV-1a over the openings' text: the same list gives the same word on any machine.
fn digest(openings: &[Opening]) -> String {
    let text = openings.iter().flat_map(|opening| (opening.label() + "\n").into_bytes());
    let hash = text.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::arena::clock::TimeControl;
    use crate::arena::openings::OpeningSource;
    use std::time::Duration;

    /// A plan of fast players for tests.
    pub(in crate::arena) fn small_plan(players: &[&str], kind: Kind, rounds: usize) -> Plan {
        let mut players: Vec<_> =
            players.iter().map(|text| PlayerSpec::parse(text).unwrap()).collect();
        super::super::spec::make_names_unique(&mut players);
        Plan {
            pairings: kind.pairings(players.len()),
            players,
            rounds,
            openings: OpeningSource::Random { plies: 6 }.openings(rounds, 1).unwrap(),
            opening_source: "random:6".to_owned(),
            rules: Rules {
                control: TimeControl::None,
                margin: Duration::from_millis(50),
                patience: Duration::from_secs(5),
                adjudicate: None,
                resign: None,
                draw: None,
            },
            seed: 1,
            sprt: None,
            anchors: Vec::new(),
            zero: None,
        }
    }

    #[test]
    fn a_plan_survives_the_way_to_another_machine() {
        let plan = small_plan(&["depth=1", "gtp:engine -x"], Kind::HeadToHead, 2);
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
        let illegal = text.replace("\"moves\":[", "\"moves\":[\"a1\",");
        assert!(serde_json::from_str::<Plan>(&illegal).is_err());
    }

    #[test]
    fn every_opening_is_played_with_both_colours_by_every_pairing() {
        let plan = small_plan(&["depth=1", "depth=1", "depth=2"], Kind::RoundRobin, 4);
        assert_eq!(plan.games(), 24);
        for game in (0..plan.games()).step_by(2) {
            let (one, two) = (plan.game(game), plan.game(game + 1));
            assert_eq!((one.black, one.white), (two.white, two.black));
            assert_eq!((one.opening, one.pairing), (two.opening, two.pairing));
            assert_ne!(one.seeds, two.seeds);
            assert_eq!(one.opening, one.round);
        }
        assert_eq!(Kind::Gauntlet.pairings(4), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(Kind::RoundRobin.pairings(3), [(0, 1), (0, 2), (1, 2)]);
    }
}
