//! The `kitai` binary: hands the command line over and turns its result into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    kitai::launch::hand_over();
    kitai::cli::main()
}
