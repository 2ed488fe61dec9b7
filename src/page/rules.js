// The rules of Othello. A position is an array of 64 cells ("X" black, "O" white, "-" empty) and the
// side to move; squares are numbers, 0 is a1, 63 is h8.

export const START = "---------------------------OX------XO---------------------------";

const STEPS = [[-1, -1], [0, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [0, 1], [1, 1]];

export function squareName(square) {
  return "abcdefgh"[square % 8] + (1 + Math.floor(square / 8));
}

export function squareNumber(name) {
  const column = "abcdefgh".indexOf(name[0].toLowerCase());
  const row = "12345678".indexOf(name[1]);
  return column < 0 || row < 0 ? -1 : 8 * row + column;
}

export function other(color) {
  return color === "X" ? "O" : "X";
}

// The discs that a move turns over; none if it is not legal.
export function flips(cells, color, square) {
  if (cells[square] !== "-") return [];
  const turned = [];
  for (const [dx, dy] of STEPS) {
    const line = [];
    let x = (square % 8) + dx;
    let y = Math.floor(square / 8) + dy;
    while (x >= 0 && x < 8 && y >= 0 && y < 8 && cells[8 * y + x] === other(color)) {
      line.push(8 * y + x);
      x += dx;
      y += dy;
    }
    if (x >= 0 && x < 8 && y >= 0 && y < 8 && cells[8 * y + x] === color) turned.push(...line);
  }
  return turned;
}

export function legalMoves(cells, color) {
  const moves = [];
  for (let square = 0; square < 64; square++) {
    if (flips(cells, color, square).length > 0) moves.push(square);
  }
  return moves;
}

// A position knows its cells, its side to move, how it came about, and whether the game is over.
export function position(cells, turn, last = null, turned = []) {
  const moves = legalMoves(cells, turn);
  const isOver = moves.length === 0 && legalMoves(cells, other(turn)).length === 0;
  return { cells, turn, moves, isOver, mustPass: moves.length === 0 && !isOver, last, turned };
}

export function startPosition() {
  return position([...START], "X");
}

// The position after a move ("f5" or "pa"); null if it is not legal.
export function play(before, name) {
  if (name === "pa" || name === "ps") {
    return before.mustPass ? position(before.cells, other(before.turn), "pa") : null;
  }
  const square = squareNumber(name);
  const turned = square < 0 ? [] : flips(before.cells, before.turn, square);
  if (turned.length === 0) return null;
  const cells = [...before.cells];
  for (const cell of [square, ...turned]) cells[cell] = before.turn;
  return position(cells, other(before.turn), squareName(square), turned);
}

export function count(cells, color) {
  return cells.filter((cell) => cell === color).length;
}

// Final disc difference for Black, empty squares to the winner.
export function finalScore(cells) {
  const black = count(cells, "X");
  const white = count(cells, "O");
  const empty = 64 - black - white;
  if (black === white) return 0;
  return black > white ? black - white + empty : black - white - empty;
}

export function boardText(at) {
  return at.cells.join("") + " " + at.turn;
}

// All positions of a game written as one text: an optional board with side to move, then moves.
// Passes may be left out. Throws with a reason a person can read.
export function readGame(text) {
  let rest = text.trim();
  let first = startPosition();
  const board = /^([-XO.*]{64})\s*([XO*])\s*/i.exec(rest);
  if (board) {
    const cells = [...board[1].toUpperCase()].map((c) => (c === "*" ? "X" : c === "." ? "-" : c));
    first = position(cells, board[2].toUpperCase() === "O" ? "O" : "X");
    rest = rest.slice(board[0].length);
  }
  const positions = [first];
  for (const name of rest.toLowerCase().match(/[a-h][1-8]|pa|ps|\S/g) || []) {
    let at = positions[positions.length - 1];
    if (at.mustPass && name !== "pa" && name !== "ps") {
      at = play(at, "pa");
      positions.push(at);
    }
    const after = play(at, name);
    if (!after) throw new Error(`move ${positions.length}, ${name}, is not legal`);
    positions.push(after);
  }
  return positions;
}
