//! How fast games of a position file are read back: positions per second.

use divan::Bencher;
use divan::counter::ItemsCount;
use kitai::othello::random::random_move;
use kitai::othello::{Move, Position};
use kitai::random::{Random, seeded};
use kitai::training::games::{Game, Label, Ply};
use kitai::training::positions::Source;
use rand::Rng;

fn main() {
    divan::main();
}

/// A random game whose scores wander as those of a search do.
fn game(number: u32, rng: &mut Random) -> Game {
    let mut game = Game::new(number);
    let mut position = Position::START;
    let mut score: i16 = 0;
    while let Some(chosen) = random_move(position, rng) {
        if let Move::Place(square) = chosen {
            score = (-score + rng.random_range(-400..400)).clamp(-8000, 8000);
            let label = Label { score, source: Source::Search, depth: 5 };
            let random = game.plies.len() < 12;
            let label = (!random).then_some(label);
            game.push(Ply { random, ..Ply::new(position, label, Some(square)) });
        }
        position = position.after_unchecked(chosen);
    }
    game.finish();
    game
}

#[divan::bench]
fn decode(bencher: Bencher<'_, '_>) {
    let mut rng = seeded(1);
    let games: Vec<Game> = (0..1000).map(|number| game(number, &mut rng)).collect();
    let records: Vec<Vec<u8>> =
        games.iter().zip(0..).map(|(game, number)| game.encode(number).expect("a game")).collect();
    let positions: usize = games.iter().map(|game| game.plies.len()).sum();
    let bytes: usize = records.iter().map(Vec::len).sum();
    println!("{:.1} bytes a game, {} positions", bytes as f64 / 1000.0, positions);
    let mut into = Game::default();
    bencher.counter(ItemsCount::new(positions)).bench_local(|| {
        for (record, number) in records.iter().zip(0..) {
            into.decode(record, number).expect("a game");
            divan::black_box(&into);
        }
    });
}
