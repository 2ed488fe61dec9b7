//! WTHOR files whole, broken, and the database itself.

use super::*;
use crate::record::game_record::tests::random_history;
use crate::record::ggf;
use crate::testdata::shared_data;
use proptest::prelude::*;

const CREATED: [u8; 4] = [20, 26, 11, 17];

fn all(bytes: &[u8], names: Names) -> Vec<Result<GameRecord, RecordError>> {
    match read(bytes, names) {
        Ok(games) => games.collect(),
        Err(error) => vec![Err(error)],
    }
}

fn sample(seed: u64, names: [&str; 3]) -> GameRecord {
    let mut history = random_history(seed, 80, true);
    while history.moves().last() == Some(&Move::Pass) {
        history.undo();
    }
    let mut record = GameRecord::of(history);
    record.result = record.result_or_score();
    [record.event, record.black.name, record.white.name] = names.map(str::to_owned);
    record.theory = Some(Theory { score: (seed % 65) as i32 * 2 - 64, empties: 24 });
    record.date = "1999".to_owned();
    record
}

fn files(records: &[GameRecord]) -> Files {
    let mut collector = Collector::default();
    for record in records {
        collector.add(record).unwrap();
    }
    collector.files(CREATED).unwrap()
}

fn fault(bytes: &[u8]) -> String {
    let last = all(bytes, Names::default()).pop().unwrap();
    last.unwrap_err().to_string()
}

#[test]
fn names_and_indices_survive_writing_and_reading() {
    let records = [sample(1, ["Open d'été", "Tamenori", "#7"]), sample(2, ["", "#3", "Tamenori"])];
    let made = files(&records);
    let names = Names {
        players: Names::read_players(made.players.unwrap().as_slice()).unwrap(),
        tournaments: Names::read_tournaments(made.tournaments.unwrap().as_slice()).unwrap(),
    };
    assert_eq!(names.players[0], UNKNOWN);
    assert_eq!(names.players[8], "Tamenori");
    let read: Vec<GameRecord> = all(&made.games, names).into_iter().map(Result::unwrap).collect();
    assert_eq!(read, records);
}

#[test]
fn the_highest_index_has_room_alone_but_leaves_none_for_names() {
    let highest = sample(1, ["", "#65535", ""]);
    let made = files(std::slice::from_ref(&highest));
    assert_eq!(all(&made.games, Names::default()).pop().unwrap().unwrap(), highest);
    let mut collector = Collector::default();
    collector.add(&sample(1, ["", "#65535", "Ann"])).unwrap();
    let error = collector.files(CREATED).unwrap_err().to_string();
    assert_eq!(error, "WTHOR cannot hold more than 65,535 names");
}

#[test]
fn broken_files_say_what_is_wrong_and_where() {
    let made = files(&[sample(1, ["", "", ""]), sample(2, ["", "", ""])]).games;
    assert_eq!(all(&made, Names::default()).iter().filter(|r| r.is_ok()).count(), 2);
    assert_eq!(fault(&made[..10]), "header: expected 16 bytes, found 10");
    assert_eq!(fault(b""), "header: expected 16 bytes, found 0");
    assert_eq!(fault(&made[..100]), "record 2: game file: expected 152 bytes, found 100");
    assert_eq!(fault(&[&made[..], &[0; 3]].concat()), "game file: expected 152 bytes, found 155");
    let with = |place: usize, value: u8| {
        let mut bytes = made.clone();
        bytes[place] = value;
        bytes
    };
    assert_eq!(fault(&with(4, 3)), "record 3: game file: expected 220 bytes, found 152");
    assert!(fault(&with(12, 10)).contains("board size[10]: expected 0 or 8"));
    assert!(fault(&with(13, 1)).contains("kind[1]: expected 0"));
    assert!(fault(&with(16 + 68 + 6, 65)).starts_with("record 2: real score[65]"));
    assert!(fault(&with(16 + 68 + 8, 19)).contains("move byte[19]"));
    assert_eq!(fault(&with(16 + 68 + 8, 11)), "record 2: move 1: black cannot play a1 here");
    assert!(fault(&with(16 + 68 + 8, 0)).contains("0 after the end of the game"));
    // A bad game costs no other.
    let read = all(&with(16 + 8, 11), Names::default());
    assert!(read[0].is_err() && read[1].is_ok());
    let players = files(&[sample(1, ["", "A", "B"])]).players.unwrap();
    let error = Names::read_players(&players[..30]).unwrap_err().to_string();
    assert_eq!(error, "record 1: name: expected 20 bytes, found 14");
}

#[test]
fn what_the_format_has_no_room_for_is_refused_by_name() {
    let refused = |change: &dyn Fn(&mut GameRecord)| {
        let mut record = sample(3, ["", "", ""]);
        change(&mut record);
        let mut collector = Collector::default();
        collector.add(&sample(1, ["", "", ""])).unwrap();
        collector.add(&record).unwrap_err().to_string()
    };
    let unfinished = |record: &mut GameRecord| {
        record.history.undo();
        record.result = None;
    };
    assert_eq!(refused(&unfinished), "WTHOR cannot hold an unfinished game without a result");
    assert!(refused(&|r| r.history = random_history(5, 3, false)).contains("start board"));
    let odd = GameResult::scored(3);
    assert_eq!(refused(&|r| r.result = Some(odd)), "WTHOR cannot hold the score 3");
    let deeper = Theory { score: 0, empties: 20 };
    assert!(refused(&|r| r.theory = Some(deeper)).contains("different depths"));
}

proptest! {
    #[test]
    fn writing_and_reading_is_the_identity(seeds in proptest::collection::vec(any::<u64>(), 0..5)) {
        let records: Vec<GameRecord> =
            seeds.iter().map(|&seed| sample(seed, ["#4", "#12", ""])).collect();
        let made = files(&records);
        prop_assert!(made.players.is_none() && made.tournaments.is_none());
        let read: Vec<GameRecord> =
            all(&made.games, Names::default()).into_iter().map(Result::unwrap).collect();
        prop_assert_eq!(read, records);
    }

    #[test]
    fn any_bytes_give_games_or_errors(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        all(&bytes, Names::default());
        let _ = Names::read_players(bytes.as_slice());
    }
}

/// Every game of the database replays, its score is the replayed one if it was played out, and
/// a trip through GGF changes nothing.
#[test]
#[ignore = "needs shared data (KITAI_DATA)"]
fn the_whole_database_replays_and_survives_a_trip_through_ggf_with_shared_data() {
    let folder = shared_data("wthor");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let (mut total, mut unfinished, mut other_scores) = (0, 0, Vec::new());
    for path in paths {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = std::fs::read(&path).unwrap();
        let games = read(bytes.as_slice(), Names::default()).unwrap();
        let header = games.header();
        let (mut direct, mut through_ggf) = (Collector::default(), Collector::default());
        for (index, record) in games.enumerate() {
            let record = record.unwrap_or_else(|error| panic!("{name}: {error}"));
            total += 1;
            let score = record.history.board().final_score_for_black();
            if !record.history.is_over() {
                unfinished += 1;
            } else if record.result != Some(GameResult::scored(score)) {
                other_scores.push(format!("{name} game {}: {score:+}", index + 1));
            }
            direct.add(&record).unwrap();
            let mut again = ggf::parse(&ggf::write(&record)).unwrap();
            assert_eq!(again.history, record.history, "{name} game {}", index + 1);
            again.theory = record.theory;
            through_ggf.add(&again).unwrap();
        }
        let made = direct.files(header.created).unwrap().games;
        assert_eq!(through_ggf.files(header.created).unwrap().games, made, "{name}");
        assert_eq!(made[HEADER..], bytes[HEADER..], "{name}");
    }
    println!("{total} games, {unfinished} not played out, other scores: {other_scores:#?}");
    assert!(total > 120_000, "only {total} games");
    assert_eq!(other_scores, [""; 0]);
}
