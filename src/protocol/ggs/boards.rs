//! The grammar of games as `/os` shows them: `join` and `update`, as text boards (`client -`) and
//! in compact form (`client +`).

use nom::bytes::complete::{is_not, tag, take_till, take_while1};
use nom::character::complete::{anychar, char, one_of, space0, space1, u32 as number};
use nom::combinator::{all_consuming, map, map_opt, opt, value};
use nom::multi::count;
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

use super::event::{Event, GameView, PlayedMove, PlayerLine};
use super::words::{GameKey, clock, decimal, game_key, game_type, login};
use crate::othello::{Bitboard, Color, Move};
use crate::record::{Board, Note, ggf};

/// The event of a message whose first word is `join` or `update`.
pub(super) fn game(lines: &[String]) -> Option<Event> {
    let first = lines.first()?;
    let word = nom::branch::alt((value(true, tag("join")), value(false, tag("update"))));
    let (rest, (is_join, game)) =
        (terminated(word, space1), terminated(game_key, space1)).parse(first.as_str()).ok()?;
    if let Ok((_, (game_type, komi))) =
        all_consuming((terminated(game_type, space1), terminated(komi, space0))).parse(rest)
    {
        let view = Draft::read(&lines[1..])?.view(game, game_type, komi)?;
        return Some(if is_join { Event::Join(view) } else { Event::Update(view) });
    }
    if !is_join {
        let played = played(rest)?;
        return Some(Event::CompactUpdate { game, played });
    }
    let text: String = std::iter::once(rest).chain(lines[1..].iter().map(String::as_str)).collect();
    let record = Box::new(ggf::parse(&text).ok()?);
    Some(Event::CompactJoin { game, record })
}

/// The game that the first line of a `join` or `update` names.
pub(super) fn key(first: &str) -> Option<GameKey> {
    let word = nom::branch::alt((tag("join"), tag("update")));
    let named = delimited((word, space1), game_key, nom::combinator::peek(space1)).parse(first);
    named.ok().map(|(_, key): (&str, GameKey)| key)
}

/// Whether nothing more can belong to this message: the prompt after it may be missing.
pub(super) fn is_complete(lines: &[String]) -> bool {
    match game(lines) {
        Some(Event::Join(view)) => view.made == 0 || view.start.is_some(),
        Some(Event::Update(_)) => true,
        Some(Event::CompactJoin { .. }) => lines.last().is_some_and(|line| line.ends_with(";)")),
        Some(Event::CompactUpdate { .. }) => true,
        _ => false,
    }
}

/// `K?`, `K1`, `K-3.5`.
fn komi(input: &str) -> IResult<&str, Option<f64>> {
    let unknown = value(None, char('?'));
    preceded(char('K'), nom::branch::alt((unknown, map(decimal, Some)))).parse(input)
}

/// A move as typed, blanks included: `f5`, `C3/-1.50/2.30`, `pass`, `d6//1.16`.
fn played(text: &str) -> Option<PlayedMove> {
    let mut fields = text.split('/').map(|field| field.split_whitespace().collect::<String>());
    let played: Move = fields.next()?.parse().ok()?;
    let mut number = || {
        let field = fields.next()?;
        all_consuming(decimal).parse(field.as_str()).ok().map(|(_, value)| value)
    };
    let (eval, seconds) = (number(), number());
    Some(PlayedMove { played, note: Note { eval, seconds } })
}

/// A line inside a board message.
enum BoardLine {
    Count(usize),
    Player(PlayerLine),
    Row(u32, [Option<Color>; 8]),
    ToMove(Color),
    Move(usize, PlayedMove),
    /// Column letters and blank lines.
    Nothing,
}

fn board_line(line: &str) -> Option<BoardLine> {
    if line.trim().is_empty() || line.split_whitespace().all(|word| word.len() == 1 && word != "-")
    {
        // `A B C D E F G H`, but also rows of digits and discs, which are tried first.
        if let Ok((_, row)) = all_consuming(row).parse(line) {
            return Some(row);
        }
        return Some(BoardLine::Nothing);
    }
    nom::branch::alt((
        all_consuming(row),
        all_consuming(player),
        all_consuming(to_move),
        all_consuming(move_count),
        all_consuming(move_line),
    ))
    .parse(line)
    .ok()
    .map(|(_, found)| found)
}

fn color(input: &str) -> IResult<&str, Color> {
    map(one_of("*O"), disc).parse(input)
}

fn disc(symbol: char) -> Color {
    if symbol == '*' { Color::Black } else { Color::White }
}

/// ` 4 - - - O * - - - 4`.
fn row(input: &str) -> IResult<&str, BoardLine> {
    let square = preceded(
        space1,
        map(one_of("*O-"), |symbol| if symbol == '-' { None } else { Some(disc(symbol)) }),
    );
    let squares = map_opt(count(square, 8), |squares| squares.try_into().ok());
    let end = (space1, number, space0);
    map((preceded(space0, number), terminated(squares, end)), |(row, squares)| {
        BoardLine::Row(row, squares)
    })
    .parse(input)
}

/// `alice    (1720.0 *) 00:59,0:0//02:00,0:0`.
fn player(input: &str) -> IResult<&str, BoardLine> {
    let mark = nom::branch::alt((map(color, Some), value(None, char('?'))));
    let inside = (preceded(space0, decimal), delimited(space1, mark, space0));
    let parts = (
        preceded(space0, login),
        delimited((space1, char('(')), inside, (char(')'), space1)),
        terminated(clock, space0),
    );
    map(parts, |(login, (rating, color), clock)| {
        BoardLine::Player(PlayerLine { login: login.to_owned(), rating, color, clock })
    })
    .parse(input)
}

/// `* to move`.
fn to_move(input: &str) -> IResult<&str, BoardLine> {
    map(delimited(space0, color, (space1, tag("to move"), space0)), BoardLine::ToMove).parse(input)
}

/// `12 move(s)`.
fn move_count(input: &str) -> IResult<&str, BoardLine> {
    let text = (space1, tag("move"), take_till(|c: char| c.is_whitespace()), space0);
    map(delimited(space0, number, text), |made| BoardLine::Count(made as usize)).parse(input)
}

/// `  1: f5/1.50/5.19`.
fn move_line(input: &str) -> IResult<&str, BoardLine> {
    let text = map_opt(is_not("\n"), played);
    map((preceded(space0, number), preceded((char(':'), space0), text)), |(number, played)| {
        BoardLine::Move(number as usize, played)
    })
    .parse(input)
}

/// A board message being read. Of everything shown twice (start and present) the last counts.
#[derive(Default)]
struct Draft {
    made: Option<usize>,
    last_number: usize,
    players: Vec<PlayerLine>,
    rows: Vec<(u32, [Option<Color>; 8])>,
    boards: Vec<Board>,
    moves: Vec<PlayedMove>,
}

impl Draft {
    fn read(lines: &[String]) -> Option<Draft> {
        let mut draft = Draft::default();
        for line in lines {
            // Lines of a later server that nobody here knows do not cost the game: what is needed
            // is looked for when all are read.
            match board_line(line).unwrap_or(BoardLine::Nothing) {
                BoardLine::Count(made) => draft.made = Some(made),
                BoardLine::Player(player) => draft.players.push(player),
                BoardLine::Row(number, squares) => draft.rows.push((number, squares)),
                BoardLine::ToMove(turn) => draft.board(turn)?,
                BoardLine::Move(number, played) => {
                    draft.last_number = number;
                    draft.moves.push(played);
                }
                BoardLine::Nothing => {}
            }
        }
        Some(draft)
    }

    fn board(&mut self, turn: Color) -> Option<()> {
        let rows = std::mem::take(&mut self.rows);
        if rows.len() != 8 || !rows.iter().map(|(number, _)| *number).eq(1..=8) {
            return None;
        }
        let mut discs = [0u64; 2];
        for (index, square) in rows.iter().flat_map(|(_, squares)| squares).enumerate() {
            if let Some(color) = square {
                discs[*color as usize] |= 1 << index;
            }
        }
        let [black, white] = discs.map(Bitboard);
        self.boards.push(Board::from_colors(black, white, turn));
        Some(())
    }

    fn view(
        self,
        game: GameKey,
        game_type: super::words::GameType,
        komi: Option<f64>,
    ) -> Option<Box<GameView>> {
        let board = *self.boards.last()?;
        // A line that is missing would pair players of the start with those of the present.
        if self.players.len() != 2 * self.boards.len() {
            return None;
        }
        let [.., one, other] = self.players.as_slice() else { return None };
        let players = [one.clone(), other.clone()];
        let start = match (self.boards.as_slice(), self.players.as_slice()) {
            ([start, _], [one, other, _, _]) => Some((*start, [one.clock, other.clock])),
            _ => None,
        };
        // Without moves the message shows a pass that nobody made, with the number 0.
        let made = self.made.unwrap_or(self.last_number);
        let moves = if made == 0 { Vec::new() } else { self.moves };
        // A joined game with moves that shows only one board was cut off after its start.
        if self.made.is_some_and(|made| made > 0) && start.is_none() {
            return None;
        }
        Some(Box::new(GameView { game, game_type, komi, made, start, moves, players, board }))
    }
}

/// `.5 A 1720 bob: good game`: said beside a game.
pub(super) fn is_kibitz(line: &str) -> bool {
    let parts = (game_key, space1, one_of("AOP"), space1, decimal, space1);
    (parts, take_while1(|c: char| !c.is_whitespace()), anychar, opt(anychar))
        .parse(line.trim_start())
        .is_ok()
}
