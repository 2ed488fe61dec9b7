//! `kitai convert`: games and positions from any format into any other.
//!
//! Games are read, checked and written one at a time. Every bad one is reported with its place;
//! the good ones are converted all the same. The output appears under its name only when it is
//! complete.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::common::stop_on_interrupt;
use super::{CliError, Output, progress};
use crate::record::date;
use crate::record::format::Writer;
use crate::record::{Format, whole_file, wthor};
use crate::training::sources::EXTENSION;
use crate::training::upgrade::upgrade;

/// Convert games or positions between formats.
///
/// Formats go by extension: .ggf, .sgf, .txt (transcripts), .obf, .pos (boards), .wtb (WTHOR, with
/// .jou and .trn for names). `-` is standard input or output. Bad games are reported with their
/// place and left out; the exit code is then 1 unless --skip-bad is given. From .kpos to .kpos,
/// position files of version 1 become version 2.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai convert WTH_1999.wtb games.ggf\n  kitai convert games.ggf \
games.sgf --skip-bad\n  echo f5d6c3 | kitai convert - - --from transcript --to ggf\n\nWith --json \
one object: from, to, read (records), written, bad."
)]
pub(super) struct Args {
    /// File to read, or - for standard input
    input: PathBuf,
    /// File to write, or - for standard output
    output: PathBuf,
    /// Format to read [default: by the extension]
    #[arg(long, value_enum)]
    from: Option<FormatName>,
    /// Format to write [default: by the extension]
    #[arg(long, value_enum)]
    to: Option<FormatName>,
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
    if [&args.input, &args.output].iter().all(|path| path.extension() == Some(EXTENSION.as_ref())) {
        let upgraded = upgrade(&args.input, &args.output).map_err(CliError::input)?;
        output.line(format_args!(
            "{} positions written as {} games",
            upgraded.positions, upgraded.games
        ))?;
        return output.object(&upgraded);
    }
    let from = format_of(&args.input, args.from, "--from")?;
    let to = format_of(&args.output, args.to, "--to")?;
    let to_stdout = is_dash(&args.output);
    let report = if to_stdout {
        convert(args, from, Writer::new(to, BufWriter::new(io::stdout().lock())))?.0
    } else {
        to_file(args, from, to)?
    };
    let Report { read, written, bad, .. } = &report;
    let summary = format!("{read} records read, {written} written, {bad} bad");
    if to_stdout {
        eprintln!("kitai: {summary}");
    } else {
        output.line(&summary)?;
        output.object(&report)?;
    }
    if report.bad > 0 && !args.skip_bad {
        return Err(CliError::Found(format!(
            "{}: {} bad records left out (--skip-bad accepts that)",
            args.input.display(),
            report.bad
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
        CliError::Input(format!(
            "{}: the extension names no format; say {flag} ggf, sgf, transcript, obf, board or \
             wthor",
            path.display()
        ))
    })
}

/// Converts into a file that has its name only when it is complete. If every record was bad there
/// is none.
fn to_file(args: &Args, from: Format, to: Format) -> Result<Report, CliError> {
    let io = |error| CliError::io(args.output.display().to_string(), error);
    let make = |partial: &Path| {
        let file = File::create(partial).map_err(io)?;
        let done = convert(args, from, Writer::new(to, BufWriter::new(file)))?;
        if done.0.written == 0 && done.0.bad > 0 && !args.skip_bad {
            let Report { bad, .. } = done.0;
            let input = args.input.display();
            return Err(CliError::Found(format!("{input}: {bad} bad records and no good one")));
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
    from: Format,
    mut writer: Writer<W>,
) -> Result<(Report, Option<wthor::Files>), CliError> {
    let (name, input, bar) = open(&args.input)?;
    let names = match from {
        Format::Wthor if !is_dash(&args.input) => {
            wthor::Names::beside(&args.input).map_err(CliError::input)?
        }
        _ => wthor::Names::default(),
    };
    let interrupted = stop_on_interrupt();
    let mut report = Report { from: word(from), to: word(writer.format()), ..Report::default() };
    let complain = |bad: &mut u64, error: String| {
        *bad += 1;
        bar.suspend(|| eprintln!("kitai: {error}"));
    };
    for record in from.read(BufReader::new(bar.wrap_read(input)), names) {
        if interrupted.is_stopped() {
            return Err(CliError::Found("interrupted; nothing was written".to_owned()));
        }
        report.read += 1;
        if report.read.is_multiple_of(SHOW_EVERY) {
            bar.set_message(format!("{} records", report.read));
        }
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                complain(&mut report.bad, error.in_file(&name).to_string());
                continue;
            }
        };
        match writer.write(&record) {
            Ok(()) => report.written += 1,
            Err(crate::record::Fault::Io(error)) => {
                return Err(CliError::io(args.output.display().to_string(), error));
            }
            Err(fault) => {
                complain(&mut report.bad, format!("{name}: record {}: {fault}", report.read))
            }
        }
    }
    bar.finish_and_clear();
    let files = writer.finish(today()).map_err(|fault| match fault {
        crate::record::Fault::Io(error) => CliError::io(args.output.display().to_string(), error),
        other => CliError::input(other),
    })?;
    Ok((report, files))
}

/// A format as the command line spells it.
fn word(format: Format) -> String {
    format.extension_and_word().1.to_owned()
}

/// The input with its name and a progress bar over its length.
fn open(path: &Path) -> Result<(String, Box<dyn Read>, indicatif::ProgressBar), CliError> {
    if is_dash(path) {
        let bar = indicatif::ProgressBar::hidden();
        return Ok(("standard input".to_owned(), Box::new(io::stdin()), bar));
    }
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| CliError::io(&name, error))?;
    let length = file.metadata().map_err(|error| CliError::io(&name, error))?.len();
    Ok((name, Box::new(file), progress::bytes(length)))
}

/// Today (UTC) as WTHOR headers have it: century, year in it, month, day.
fn today() -> [u8; 4] {
    let seconds = date::now();
    let (year, month, day) = date::of_days(seconds / 86_400);
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
            let (input, output) = (self.path(from), self.path(to));
            let args = Args { input, output, from: None, to: None, skip_bad };
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
        assert!(error.contains("1 bad records left out"), "{error}");
        folder.convert("a.txt", "c.sgf", true).unwrap();
        let written = fs::read_to_string(folder.path("c.sgf")).unwrap();
        assert_eq!(written.lines().count(), 2);
        assert_eq!(fs::read_to_string(folder.path("b.sgf")).unwrap(), written);
        // WTHOR has no room for unfinished games: reported like bad ones.
        assert!(folder.convert("a.txt", "d.wtb", false).unwrap_err().contains("3 bad records"));
        assert!(!folder.path("d.wtb.part").exists() && !folder.path("d.wtb").exists());
    }

    #[test]
    fn an_unknown_extension_asks_for_the_flag() {
        let error = format_of(Path::new("x.dat"), None, "--from").unwrap_err().to_string();
        assert!(error.starts_with("x.dat: the extension names no format; say --from"), "{error}");
        assert_eq!(format_of(Path::new("x.dat"), Some(FormatName::Obf), "").unwrap(), Format::Obf);
    }
}
