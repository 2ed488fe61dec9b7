//! `kitai convert`: games and positions from any format into any other.
//!
//! Games are read, checked and written one at a time. Every bad one is reported with its place;
//! the good ones are converted all the same. The output appears under its name only when it is
//! complete.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::common::{check_output, stop_on_interrupt};
use super::input::{Source, shorten};
use super::{CliError, Output, progress};
use crate::record::date;
use crate::record::format::Writer;
use crate::record::{Fault, Format, GameRecord, whole_file, wthor};
use crate::text;
use crate::training::sources::EXTENSION;
use crate::training::upgrade::upgrade;

/// Convert games or positions between formats.
///
/// Formats go by extension: .ggf, .sgf, .txt (transcripts), .obf, .pos (boards), .wtb (WTHOR, with
/// .jou and .trn for names), and an input without one by its content. `-` is standard input or
/// output. Of a game, .obf and .pos keep one position: the last, or what --at or --every say. Bad
/// games are reported with their place and left out; the exit code is then 1 unless --skip-bad is
/// given. From .kpos to .kpos, position files of version 1 become version 2.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai convert WTH_1999.wtb games.ggf\n  kitai convert games.ggf \
games.sgf --skip-bad\n  kitai convert games.ggf positions.obf --every\n  echo f5d6c3 | kitai convert - - --to ggf\n\nWith --json \
one object: from, to, read (records), written, bad."
)]
pub(super) struct Args {
    /// File to read, - for standard input, or a game or position itself
    #[arg(allow_hyphen_values = true)]
    input: String,
    /// File to write, or - for standard output
    output: PathBuf,
    /// Format to read [default: by the extension, else by the content]
    #[arg(long, value_enum)]
    from: Option<FormatName>,
    /// Format to write [default: by the extension]
    #[arg(long, value_enum)]
    to: Option<FormatName>,
    /// Positions: the one after so many moves of each game; shorter games are left out
    #[arg(long, value_name = "MOVES", conflicts_with = "every")]
    at: Option<usize>,
    /// Positions: every one of each game, its last included
    #[arg(long)]
    every: bool,
    /// Leave bad games out and succeed; they are still reported and counted
    #[arg(long)]
    skip_bad: bool,
}

#[derive(Serialize, Default)]
struct Report {
    from: String,
    to: String,
    read: u64,
    written: u64,
    bad: u64,
}

/// Records between two looks at the clock of the progress bar.
const SHOW_EVERY: u64 = 1024;

/// Runs the command.
///
/// # Errors
/// If a file cannot be read or written, a format is unknown, or games were bad.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let (input, made) = (Path::new(&args.input), &args.output);
    if [input, made].iter().all(|path| path.extension() == Some(EXTENSION.as_ref())) {
        check_output(made)?;
        let upgraded = upgrade(input, made).map_err(CliError::input)?;
        output.line(format_args!(
            "{} written as {}",
            text::count(upgraded.positions, "position"),
            text::count(upgraded.games, "game")
        ))?;
        return output.object(&upgraded);
    }
    let to = format_of(&args.output, args.to, "--to")?;
    if (args.every || args.at.is_some()) && !matches!(to, Format::Obf | Format::Board) {
        return Err(CliError::usage("--at and --every choose positions, for .obf and .pos"));
    }
    let to_stdout = is_dash(&args.output);
    let report = if to_stdout {
        convert(args, Writer::new(to, BufWriter::new(io::stdout().lock())))?.0
    } else {
        check_output(&args.output)?;
        to_file(args, to)?
    };
    let Report { read, written, bad, .. } = &report;
    let summary = format!("{} read, {written} written, {bad} bad", text::count(*read, "record"));
    if to_stdout {
        eprintln!("kitai: {summary}");
    } else {
        output.line(&summary)?;
        output.object(&report)?;
    }
    if report.bad > 0 && !args.skip_bad {
        return Err(CliError::Found(format!(
            "{}: {} left out (--skip-bad accepts that)",
            args.input,
            text::count(report.bad, "bad record")
        )));
    }
    Ok(())
}

/// [`Format`] as a word of the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum FormatName {
    /// Generic Game Format of the Othello servers
    Ggf,
    /// Smart Game Format, GM[2]
    Sgf,
    /// Moves like f5d6c3, one game per line
    Transcript,
    /// Problems: board and scored moves, one per line
    Obf,
    /// Boards of 64 squares with side to move, one per line
    Board,
    /// The WTHOR database (.wtb)
    Wthor,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Format {
        match name {
            FormatName::Ggf => Format::Ggf,
            FormatName::Sgf => Format::Sgf,
            FormatName::Transcript => Format::Transcript,
            FormatName::Obf => Format::Obf,
            FormatName::Board => Format::Board,
            FormatName::Wthor => Format::Wthor,
        }
    }
}

fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

fn format_of(path: &Path, given: Option<FormatName>, flag: &str) -> Result<Format, CliError> {
    given.map(Format::from).or_else(|| Format::of_path(path)).ok_or_else(|| {
        CliError::usage(format!(
            "{}: the extension names no format; say {flag} ggf, sgf, transcript, obf, board or \
             wthor",
            path.display()
        ))
    })
}

/// Converts into a file that has its name only when it is complete. If every record was bad there
/// is none.
fn to_file(args: &Args, to: Format) -> Result<Report, CliError> {
    let io = |error| CliError::io(args.output.display().to_string(), error);
    let make = |partial: &Path| {
        let file = File::create(partial).map_err(io)?;
        let done = convert(args, Writer::new(to, BufWriter::new(file)))?;
        if done.0.written == 0 && done.0.bad > 0 && !args.skip_bad {
            let Report { bad, .. } = done.0;
            let bad = text::count(bad, "bad record");
            return Err(CliError::Found(format!("{}: {bad} and no good one", args.input)));
        }
        Ok(done)
    };
    let (report, names) = whole_file::written_by(&args.output, make, io)?;
    for (extension, bytes) in
        names.iter().flat_map(|n| [("jou", &n.players), ("trn", &n.tournaments)])
    {
        if let Some(bytes) = bytes {
            let path = args.output.with_extension(extension);
            whole_file::write(&path, bytes)
                .map_err(|e| CliError::io(path.display().to_string(), e))?;
        }
    }
    Ok(report)
}

/// Reads, reports and writes; also gives back the name files of a WTHOR database.
fn convert<W: Write>(
    args: &Args,
    mut writer: Writer<W>,
) -> Result<(Report, Option<wthor::Files>), CliError> {
    let mut opened = Source::of(&args.input)?.open(args.from.map(Format::from))?;
    let bar = opened.length.map_or_else(indicatif::ProgressBar::hidden, progress::bytes);
    opened.reader = Box::new(BufReader::new(bar.wrap_read(opened.reader)));
    let (name, from) = (opened.name.clone(), opened.format);
    let interrupted = stop_on_interrupt();
    let mut report = Report { from: word(from), to: word(writer.format()), ..Report::default() };
    let complain = |bad: &mut u64, error: String| {
        *bad += 1;
        bar.suspend(|| eprintln!("kitai: {error}"));
    };
    let failed = |error| CliError::io(args.output.display().to_string(), error);
    for record in opened.records() {
        if interrupted.is_stopped() {
            return Err(CliError::Found("interrupted; nothing was written".to_owned()));
        }
        report.read += 1;
        if report.read.is_multiple_of(SHOW_EVERY) {
            bar.set_message(text::count(report.read, "record"));
        }
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                complain(&mut report.bad, error.in_file(&name).to_string());
                continue;
            }
        };
        for record in chosen(record, args) {
            match writer.write(&record) {
                Ok(()) => report.written += 1,
                Err(Fault::Io(error)) => return Err(failed(error)),
                Err(fault) => {
                    complain(&mut report.bad, format!("{name}: record {}: {fault}", report.read));
                }
            }
        }
    }
    bar.finish_and_clear();
    if let (Some(at), 0, 1..) = (args.at, report.written, report.read - report.bad) {
        let moves = text::count(at as u64, "move");
        return Err(CliError::Found(format!("{}: no game has {moves}", args.input)));
    }
    let files = writer.finish(today()).map_err(|fault| match fault {
        Fault::Io(error) => failed(error),
        other => CliError::input(other),
    })?;
    Ok((report, files))
}

/// What is written of a record: all of it, or the positions that were asked for.
fn chosen(record: GameRecord, args: &Args) -> Vec<GameRecord> {
    let moves = record.history.moves().len();
    let after = |at| {
        let mut part = record.clone();
        shorten(&mut part, at);
        part
    };
    match args.at {
        Some(at) if at > moves => Vec::new(),
        Some(at) => vec![after(at)],
        None if args.every => (0..=moves).map(after).collect(),
        None => vec![record],
    }
}

/// A format as the command line spells it.
fn word(format: Format) -> String {
    format.extension_and_word().1.to_owned()
}

/// Today (UTC) as WTHOR headers have it: century, year in it, month, day.
fn today() -> [u8; 4] {
    let (year, month, day) = date::of_days(date::now() / 86_400);
    [(year / 100) as u8, (year % 100) as u8, month as u8, day as u8]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A folder of its own for one test, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("kitai-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.join(name)
        }

        fn convert(&self, from: &str, to: &str, skip_bad: bool) -> Result<(), String> {
            self.positions(from, to, None, false, skip_bad)
        }

        fn positions(
            &self,
            from: &str,
            to: &str,
            at: Option<usize>,
            every: bool,
            skip_bad: bool,
        ) -> Result<(), String> {
            let (input, output) = (self.path(from).display().to_string(), self.path(to));
            let args = Args { input, output, from: None, to: None, at, every, skip_bad };
            run(&args, &mut Output::new(true, false)).map_err(|error| error.to_string())
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_game_goes_through_every_game_format_and_comes_back_the_same() {
        let folder = Folder::new("every-format");
        // The shortest game: White is wiped out at the ninth move.
        let game = "1 (;GM[Othello]DT[2001]EV[Open]PB[Ann]PW[Bob]TY[8]RE[+64.000]\
            BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]\
            B[e6]W[f4]B[e3]W[f6]B[g5]W[d6]B[e7]W[f5]B[c5];)\n";
        fs::write(folder.path("a.ggf"), game).unwrap();
        for (from, to) in [("a.ggf", "b.wtb"), ("b.wtb", "c.sgf"), ("c.sgf", "d.ggf")] {
            folder.convert(from, to, false).unwrap();
        }
        assert!(folder.path("b.jou").exists() && folder.path("b.trn").exists());
        assert_eq!(fs::read_to_string(folder.path("d.ggf")).unwrap(), game);
        folder.convert("d.ggf", "e.txt", false).unwrap();
        let moves = fs::read_to_string(folder.path("e.txt")).unwrap();
        assert_eq!(moves, "e6f4e3f6g5d6e7f5c5\n");
    }

    #[test]
    fn bad_games_are_left_out_and_fail_the_command_unless_that_is_accepted() {
        let folder = Folder::new("bad-games");
        fs::write(folder.path("a.txt"), "f5d6\nf5a1\nf5f6\n").unwrap();
        let error = folder.convert("a.txt", "b.sgf", false).unwrap_err();
        assert!(error.contains("1 bad record left out"), "{error}");
        folder.convert("a.txt", "c.sgf", true).unwrap();
        let written = fs::read_to_string(folder.path("c.sgf")).unwrap();
        assert_eq!(written.lines().count(), 2);
        assert_eq!(fs::read_to_string(folder.path("b.sgf")).unwrap(), written);
        // WTHOR has no room for unfinished games: reported like bad ones.
        assert!(folder.convert("a.txt", "d.wtb", false).unwrap_err().contains("3 bad records"));
        assert!(!folder.path("d.wtb.part").exists() && !folder.path("d.wtb").exists());
    }

    #[test]
    fn positions_of_games_are_chosen_by_their_number() {
        let folder = Folder::new("positions");
        fs::write(folder.path("a.txt"), "f5d6c3\nf5\n").unwrap();
        let lines = |name: &str| fs::read_to_string(folder.path(name)).unwrap().lines().count();
        folder.positions("a.txt", "last.pos", None, false, false).unwrap();
        folder.positions("a.txt", "second.obf", Some(2), false, false).unwrap();
        folder.positions("a.txt", "all.pos", None, true, false).unwrap();
        assert_eq!(["last.pos", "second.obf", "all.pos"].map(lines), [2, 1, 4 + 2]);
        let short = folder.positions("a.txt", "b.obf", Some(9), false, false).unwrap_err();
        assert!(short.contains("no game has 9 moves"), "{short}");
        assert!(!folder.path("b.obf").exists());
        let refused = folder.positions("a.txt", "b.ggf", Some(2), false, false).unwrap_err();
        assert!(refused.contains("choose positions"), "{refused}");
        let nowhere = folder.convert("a.txt", "missing/b.ggf", false).unwrap_err();
        assert!(nowhere.contains("no such directory"), "{nowhere}");
    }

    #[test]
    fn an_unknown_extension_asks_for_the_flag() {
        let error = format_of(Path::new("x.dat"), None, "--from").unwrap_err().to_string();
        assert!(error.starts_with("x.dat: the extension names no format; say --from"), "{error}");
        assert_eq!(format_of(Path::new("x.dat"), Some(FormatName::Obf), "").unwrap(), Format::Obf);
    }
}
