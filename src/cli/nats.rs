//! The flags of work on many machines, and how such work is shown.

use std::path::PathBuf;

use indicatif::ProgressBar;

use super::CliError;
use crate::fleet::connect::Access;
use crate::fleet::coordinator::{News, Settings};
use crate::fleet::residuals::Residual;
use crate::fleet::wire::Name;
use crate::text;

/// How the broker knows us.
#[derive(clap::Args, Debug, Clone, Default)]
#[command(next_help_heading = "Broker")]
pub(super) struct AccessArgs {
    /// File with NATS credentials (JWT and seed)
    #[arg(long, value_name = "FILE", requires = "nats")]
    nats_creds: Option<PathBuf>,
    /// File with the seed of an nkey
    #[arg(long, value_name = "FILE", requires = "nats")]
    nats_nkey: Option<PathBuf>,
    /// File with a token
    #[arg(long, value_name = "FILE", requires = "nats")]
    nats_token: Option<PathBuf>,
    /// Certificates of authorities to trust beside the system's (TLS)
    #[arg(long, value_name = "FILE", requires = "nats")]
    nats_ca: Option<PathBuf>,
    /// Own certificate (TLS)
    #[arg(long, value_name = "FILE", requires_all = ["nats", "nats_key"])]
    nats_cert: Option<PathBuf>,
    /// Key of the own certificate
    #[arg(long, value_name = "FILE", requires_all = ["nats", "nats_cert"])]
    nats_key: Option<PathBuf>,
}

impl AccessArgs {
    /// With the URL.
    pub(super) fn access(&self, url: &str) -> Access {
        Access {
            url: url.to_owned(),
            creds: self.nats_creds.clone(),
            nkey: self.nats_nkey.clone(),
            token: self.nats_token.clone(),
            ca: self.nats_ca.clone(),
            certificate: self.nats_cert.clone().zip(self.nats_key.clone()),
        }
    }
}

/// Whether and where the work is done by others.
#[derive(clap::Args, Debug, Clone, Default)]
#[command(next_help_heading = "Broker")]
pub(super) struct FleetArgs {
    /// Do the work on the workers (`kitai worker`) at this NATS broker: nats://HOST:4222 or tls://HOST
    #[arg(long, value_name = "URL")]
    nats: Option<String>,
    /// Exclude this worker of the fleet; a match plays its logged games again
    #[arg(long, value_name = "WORKER", requires = "nats")]
    exclude: Vec<Name>,
    /// Deliveries of a job after which it is put aside
    #[arg(long, value_name = "N", default_value_t = 5, requires = "nats",
          value_parser = clap::value_parser!(u32).range(1..=100))]
    tries: u32,
    #[command(flatten)]
    access: AccessArgs,
}

impl FleetArgs {
    /// The broker, if others do the work.
    pub(super) fn access(&self) -> Option<Access> {
        self.nats.as_deref().map(|url| self.access.access(url))
    }

    /// How the coordinator goes about it.
    pub(super) fn settings(&self) -> Settings {
        Settings { tries: self.tries, exclude: self.exclude.clone(), ..Settings::default() }
    }

    /// Workers whose games are played again.
    pub(super) fn excluded(&self) -> Vec<String> {
        self.exclude.iter().map(Name::to_string).collect()
    }
}

/// Shows the fleet beside the progress, and in the end who stands out.
pub(super) struct FleetView {
    bar: ProgressBar,
    residuals: Vec<Residual>,
}

impl FleetView {
    pub(super) fn new(bar: &ProgressBar) -> FleetView {
        FleetView { bar: bar.clone(), residuals: Vec::new() }
    }

    pub(super) fn show(&mut self, news: News<'_>) {
        match news {
            News::Note(note) => self.bar.suspend(|| eprintln!("kitai: {note}")),
            News::Status(status) => {
                self.bar.set_prefix(match status.workers {
                    0 => "no workers yet  ".to_owned(),
                    workers => format!(
                        "{}, {}, {:.1} jobs/s  ",
                        text::count(workers as u64, "worker"),
                        text::count(status.slots as u64, "slot"),
                        status.rate
                    ),
                });
                self.residuals.clone_from(&status.residuals);
            }
        }
    }

    /// Names the workers that stand out.
    pub(super) fn finish(&self) {
        for one in self.residuals.iter().filter(|one| one.stands_out) {
            let deviation = one.deviation.map_or("-".to_owned(), |far| format!("{far:+.1}"));
            eprintln!(
                "kitai: worker {} stands out: speed x {:.2} of the others', results {deviation} \
                 standard errors from theirs, {} refused; --exclude {} leaves it out",
                one.worker, one.speed_ratio, one.refused, one.worker
            );
        }
    }
}

/// Turns an error of the fleet into one of the command.
pub(super) fn failed(error: impl std::fmt::Display) -> CliError {
    CliError::Input(error.to_string())
}
