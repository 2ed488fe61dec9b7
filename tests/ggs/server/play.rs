//! Matches: moves, clocks, synchro rounds, bids, results.

use std::time::{Duration, Instant};

use kitai::othello::{Color, Move};
use kitai::protocol::ggs::words::GameType;
use kitai::record::{
    Board, ClockSettings, GameRecord, GameResult, History, Komi, Margin, Note, ggf,
};

use super::text;

/// Trusted players may be late by this much, seconds.
const TRUST: f64 = 4.0;
/// A silent player's flag falls so much late, seconds.
const LATE: f64 = 5.0;

/// One game of a match. Players are 0 (who asked) and 1.
#[derive(Clone)]
pub(crate) struct Game {
    pub id: String,
    /// Which player is Black; not known while bids are awaited.
    pub black: Option<usize>,
    pub history: History,
    pub notes: Vec<Note>,
    pub typed: Vec<String>,
    pub left: [f64; 2],
    /// When each player's clock began to run.
    pub running: [Option<Instant>; 2],
    pub timed_out: [bool; 2],
    pub komi: Option<f64>,
    pub bids: [Option<(Move, f64, f64)>; 2],
    /// The result from Black's view.
    pub over: Option<f64>,
    /// Whether the end was told.
    pub told: bool,
}

impl Game {
    pub(crate) fn mover(&self) -> Option<usize> {
        let black = self.black?;
        Some(if self.history.board().turn == Color::Black { black } else { 1 - black })
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// The result for the player who asked.
    pub(crate) fn result(&self) -> f64 {
        let over = self.over.unwrap_or(0.0);
        if self.black == Some(0) { over } else { -over }
    }

    fn left_now(&self, player: usize, now: Instant) -> f64 {
        let used = self.running[player].map_or(0.0, |at| (now - at).as_secs_f64());
        self.left[player] - used
    }
}

/// A match.
#[derive(Clone)]
pub(crate) struct Match {
    pub number: u32,
    pub players: [String; 2],
    pub game_type: GameType,
    pub flag: char,
    pub clocks: [ClockSettings; 2],
    pub games: Vec<Game>,
    pub archive: Option<u32>,
    /// In synchro: who has moved in this round, in which game.
    pub moved: [Option<usize>; 2],
    pub aborting: [bool; 2],
    pub undoing: [bool; 2],
    /// Results that the players offer, from their own view.
    pub offers: [Option<f64>; 2],
}

/// What comes of a move: messages to players.
#[derive(Default)]
pub(crate) struct Told(pub Vec<(usize, Vec<String>)>);

impl Told {
    fn to(&mut self, player: usize, lines: Vec<String>) {
        self.0.push((player, lines));
    }

    fn both(&mut self, lines: &[String]) {
        self.to(0, lines.to_vec());
        self.to(1, lines.to_vec());
    }
}

impl Match {
    pub(crate) fn game_index(&self, half: Option<u8>) -> Option<usize> {
        match (half, self.games.len()) {
            (None, 1) => Some(0),
            (Some(half), 2) if half < 2 => Some(half as usize),
            _ => None,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.games.iter().all(Game::is_over)
    }

    /// Starts the clocks that should run.
    pub(crate) fn start_clocks(&mut self, now: Instant) {
        let rounds = self.games.len() == 2 && self.games.iter().all(|game| !game.is_over());
        for (index, game) in self.games.iter_mut().enumerate() {
            if game.is_over() {
                game.running = [None, None];
                continue;
            }
            for player in 0..2 {
                let waits = match game.mover() {
                    None => game.bids[player].is_none(),
                    // In a round everyone moves once: who has moved waits.
                    Some(mover) => mover == player && !(rounds && self.moved[player].is_some()),
                };
                let waits = waits && !(rounds && self.moved[1 - player] == Some(index));
                if !waits {
                    game.running[player] = None;
                } else if game.running[player].is_none() {
                    game.running[player] = Some(now);
                }
            }
        }
    }

    /// The players' lines above a board.
    fn player_lines(&self, game: &Game, now: Option<Instant>) -> Vec<String> {
        let order = if game.black == Some(1) { [1, 0] } else { [0, 1] };
        let made = game.history.moves().len();
        order
            .into_iter()
            .enumerate()
            .map(|(place, player)| {
                let mark = match (game.black, place) {
                    (None, _) => '?',
                    (_, 0) => '*',
                    _ => 'O',
                };
                let clock = match now {
                    None => text::settings(&self.clocks[player]),
                    Some(now) => {
                        text::running(&self.clocks[player], game.left_now(player, now), made / 2)
                    }
                };
                format!("{:<8} ({:6.1} {mark}) {clock}", self.players[player], self.rating(player))
            })
            .collect()
    }

    fn rating(&self, player: usize) -> f64 {
        // One below 1000, to see that it is padded.
        if player == 0 { 1720.0 } else { 985.0 }
    }

    fn header(&self, word: &str, game: &Game) -> String {
        let komi = game.komi.map_or("?".to_owned(), |komi| format!("{komi}"));
        format!("{word} {} {} K{komi}", game.id, self.game_type.text)
    }

    pub(crate) fn join(&self, index: usize, now: Instant) -> Vec<String> {
        let game = &self.games[index];
        let made = game.history.moves().len();
        let mut lines = vec![self.header("join", game), format!("{made} move(s)")];
        if made == 0 {
            lines.push("  0: PASS".to_owned());
        } else {
            lines.extend(self.player_lines(game, None));
            lines.extend(text::board(game.history.start()));
            for (number, typed) in game.typed.iter().enumerate() {
                lines.push(format!("{:3}: {typed}", number + 1));
            }
        }
        lines.extend(self.player_lines(game, Some(now)));
        lines.extend(text::board(game.history.board()));
        lines
    }

    /// The same in compact form.
    pub(crate) fn compact_join(&self, index: usize) -> Vec<String> {
        let game = &self.games[index];
        vec![format!("join {} {}", game.id, ggf::write(&self.record(game)))]
    }

    fn update(&self, index: usize, now: Instant) -> Vec<String> {
        let game = &self.games[index];
        let number = game.typed.len();
        let mut lines = vec![self.header("update", game)];
        lines.push(format!("{number:3}: {}", game.typed[number - 1]));
        lines.extend(self.player_lines(game, Some(now)));
        lines.extend(text::board(game.history.board()));
        lines
    }

    pub(crate) fn record(&self, game: &Game) -> GameRecord {
        let mut record = GameRecord::of(game.history.clone());
        record.notes.clone_from(&game.notes);
        let black = game.black.unwrap_or(0);
        for (color, player) in [(Color::Black, black), (Color::White, 1 - black)] {
            let info = record.player_mut(color);
            info.name.clone_from(&self.players[player]);
            info.rating = Some(self.rating(player));
            info.clock = Some(self.clocks[player]);
        }
        record.place = "GGS/os".to_owned();
        record.game_type.clone_from(&self.game_type.text);
        if self.game_type.komi {
            record.komi = Some(Komi { value: game.komi, ..Komi::default() });
        }
        record.result = game.over.map(|discs| GameResult {
            margin: Margin::Discs(discs),
            ending: kitai::record::Ending::Scored,
        });
        record
    }

    /// A player sends a move.
    pub(crate) fn play(
        &mut self,
        player: usize,
        index: usize,
        typed: &str,
        trust: bool,
        now: Instant,
    ) -> Result<Told, String> {
        let mut fields = typed.split('/');
        let word = fields.next().unwrap_or("").trim();
        let known = ["pass", "PASS", "pa", "PA"].contains(&word)
            || word.len() == 2 && word.parse::<Move>().is_ok();
        let played: Move = match word.parse() {
            Ok(played) if known => played,
            _ => return Err("corrupt move".to_owned()),
        };
        let mut number = |name: &str| match fields.next().map(str::trim) {
            None | Some("") => Ok(None),
            Some(text) => text.parse::<f64>().map(Some).map_err(|_| format!("{name} expected")),
        };
        let eval = number("move eval")?;
        let seconds = number("move time >= 0")?.unwrap_or(0.0);
        if eval.is_some_and(|eval| eval.abs() >= 1000.0) {
            return Err("move eval out of range".to_owned());
        }
        let game = &mut self.games[index];
        if game.is_over() || game.history.board().position.after(played).is_none() {
            return Err("illegal move".to_owned());
        }
        if game.black.is_none() {
            return self.bid(player, index, (played, eval.unwrap_or(0.0), seconds), now);
        }
        if game.mover() != Some(player) {
            return Err("not your turn".to_owned());
        }
        if game.running[player].is_none() {
            return Err("wrong game!".to_owned());
        }
        let mut told = Told::default();
        self.cancel_questions();
        self.charge(player, index, seconds, trust, now, &mut told);
        self.make(player, index, played, Note { eval, seconds: Some(seconds) }, now, &mut told);
        Ok(told)
    }

    fn bid(
        &mut self,
        player: usize,
        index: usize,
        bid: (Move, f64, f64),
        now: Instant,
    ) -> Result<Told, String> {
        if self.games[index].bids[player].is_some() {
            return Err("you already sent the first move".to_owned());
        }
        let mut told = Told::default();
        self.charge(player, index, bid.2, true, now, &mut told);
        let game = &mut self.games[index];
        game.bids[player] = Some(bid);
        game.running[player] = None;
        let [Some(one), Some(other)] = game.bids else { return Ok(told) };
        let winner = usize::from(other.1 > one.1);
        let turn = game.history.board().turn;
        game.black = Some(if turn == Color::Black { winner } else { 1 - winner });
        let mean = f64::midpoint(one.1, other.1);
        game.komi = Some(if turn == Color::Black { mean } else { -mean });
        let (played, eval, seconds) = game.bids[winner].unwrap();
        let note = Note { eval: Some(eval), seconds: Some(seconds) };
        self.apply(index, played, note);
        self.start_clocks(now);
        told.both(&self.join(index, now));
        Ok(told)
    }

    fn charge(
        &mut self,
        player: usize,
        index: usize,
        seconds: f64,
        trust: bool,
        now: Instant,
        told: &mut Told,
    ) {
        let game = &mut self.games[index];
        let wall = game.running[player].map_or(0.0, |at| (now - at).as_secs_f64());
        // Nobody has thought for longer than the clock ran.
        let mut used = if trust { seconds.min(wall) } else { wall };
        if trust && seconds < wall - TRUST {
            used = wall;
            let id = &game.id;
            let text = format!("trust-violation {id} {} (*) delta= 4", self.players[player]);
            told.both(&[text]);
        }
        let game = &mut self.games[index];
        game.running[player] = None;
        game.left[player] -= used;
        self.flag(player, index, told);
        if let Some(part) = self.clocks[player].increment {
            let most = part.time.as_secs_f64();
            // With `N` only what was used is given back.
            self.games[index].left[player] += if part.flag { used.min(most) } else { most };
        }
    }

    /// What happens when a clock is below zero.
    fn flag(&mut self, player: usize, index: usize, told: &mut Told) {
        let extension = self.clocks[player].extension.map_or(0.0, |part| part.time.as_secs_f64());
        let (name, game) = (&self.players[player], &mut self.games[index]);
        if game.left[player] < 0.0 && !game.timed_out[player] {
            game.timed_out[player] = true;
            game.left[player] += extension;
            told.both(&[format!("timeout {} {name} (*)", game.id)]);
        }
        if game.left[player] < 0.0 && game.over.is_none() {
            told.both(&[format!("fatal-timeout {} {name} (*)", game.id)]);
            let black = game.black.unwrap_or(0);
            game.over = Some(if player == black { -64.0 } else { 64.0 });
        }
    }

    fn apply(&mut self, index: usize, played: Move, note: Note) {
        let game = &mut self.games[index];
        game.history.play(played).unwrap();
        let word = if played == Move::Pass { "pass".to_owned() } else { played.to_string() };
        let eval = note.eval.filter(|eval| *eval != 0.0);
        let seconds = note.seconds.filter(|seconds| *seconds >= 0.005);
        let mut typed = word;
        if eval.is_some() || seconds.is_some() {
            typed += &format!("/{}", eval.map_or(String::new(), |eval| format!("{eval:.2}")));
        }
        if let Some(seconds) = seconds {
            typed += &format!("/{seconds:.2}");
        }
        game.typed.push(typed);
        game.notes.push(Note { eval, seconds });
        if game.history.is_over() && game.over.is_none() {
            let score = f64::from(game.history.board().final_score_for_black());
            let mut result = score - game.komi.unwrap_or(0.0);
            let black = game.black.unwrap_or(0);
            if game.timed_out[black] {
                result = result.min(-2.0);
            } else if game.timed_out[1 - black] {
                result = result.max(2.0);
            }
            game.over = Some(result);
        }
    }

    fn make(
        &mut self,
        player: usize,
        index: usize,
        played: Move,
        note: Note,
        now: Instant,
        told: &mut Told,
    ) {
        let rounds = self.games.len() == 2 && self.games.iter().all(|game| !game.is_over());
        self.apply(index, played, note);
        if !rounds {
            self.start_clocks(now);
            let update = self.update(index, now);
            told.both(&update);
            return self.tell_ends(told);
        }
        self.moved[player] = Some(index);
        let Some(other) = self.moved[1 - player] else {
            self.start_clocks(now);
            let update = self.update(index, now);
            return told.to(player, update);
        };
        // The round is complete: both see what the other did, and both clocks start.
        self.moved = [None, None];
        self.start_clocks(now);
        let (own, theirs) = (self.update(index, now), self.update(other, now));
        told.to(player, own.clone());
        told.to(1 - player, own);
        told.to(player, theirs);
        self.tell_ends(told);
    }

    /// Any move ends the questions for undo and score.
    pub(crate) fn cancel_questions(&mut self) {
        (self.undoing, self.offers) = ([false, false], [None, None]);
    }

    /// The ends of games that were not told yet.
    pub(crate) fn ends(&mut self) -> Told {
        let mut told = Told::default();
        self.tell_ends(&mut told);
        told
    }

    fn tell_ends(&mut self, told: &mut Told) {
        if self.games.len() < 2 {
            return;
        }
        let [one, other] = self.players.clone();
        for game in &mut self.games {
            if game.over.is_some() && !std::mem::replace(&mut game.told, true) {
                let text = format!("end {} ( {one} vs. {other} ) {:+.2}", game.id, game.result());
                told.both(&[text]);
            }
        }
    }

    /// Flags of players who stay silent.
    pub(crate) fn flags(&mut self, now: Instant) -> Told {
        let mut told = Told::default();
        for index in 0..self.games.len() {
            for player in 0..2 {
                if self.games[index].left_now(player, now) < -LATE {
                    let left = self.games[index].left_now(player, now);
                    let game = &mut self.games[index];
                    game.left[player] = left;
                    game.running[player] = Some(now);
                    self.flag(player, index, &mut told);
                }
            }
        }
        self.tell_ends(&mut told);
        told
    }

    /// Takes back what only one player has seen, before the match is put away.
    pub(crate) fn take_back(&mut self) {
        for player in 0..2 {
            if let Some(index) = self.moved[player].take() {
                let game = &mut self.games[index];
                game.history.undo();
                game.typed.pop();
                game.notes.pop();
                game.over = None;
            }
        }
        for game in &mut self.games {
            game.running = [None, None];
        }
    }
}

/// A new game.
pub(crate) fn new_game(
    id: String,
    black: Option<usize>,
    start: Board,
    clocks: &[ClockSettings; 2],
) -> Game {
    let seconds = |time: Duration| time.as_secs_f64();
    Game {
        id,
        black,
        history: History::new(start),
        notes: Vec::new(),
        typed: Vec::new(),
        left: [seconds(clocks[0].main.time), seconds(clocks[1].main.time)],
        running: [None, None],
        timed_out: [false, false],
        komi: None,
        bids: [None, None],
        over: None,
        told: false,
    }
}
