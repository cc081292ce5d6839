//! Why a command could not run.

use std::fmt::Display;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};

/// What went wrong, where, why, and what to do. Ends the program with status 2
/// unless it says another.
pub struct Failure {
    message: String,
    causes: Vec<String>,
    help: Option<String>,
    status: u8,
}

impl Failure {
    /// A failure with what went wrong.
    pub fn new(message: impl Into<String>) -> Self {
        Failure {
            message: message.into(),
            causes: Vec::new(),
            help: None,
            status: 2,
        }
    }

    /// Adds why.
    pub fn because(mut self, cause: impl Display) -> Self {
        self.causes.push(cause.to_string());
        self
    }

    /// Adds what to do.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Ends the program with another status.
    pub fn status(mut self, status: u8) -> Self {
        self.status = status;
        self
    }

    /// Prints it and returns the status.
    pub fn print(self) -> ExitCode {
        let red = AnsiColor::BrightRed.on_default().bold();
        let bold = Style::new().bold();
        anstream::eprintln!("{red}error{red:#}{bold}: {}{bold:#}", self.message);
        for cause in &self.causes {
            anstream::eprintln!("  {bold}cause{bold:#}: {cause}");
        }
        if let Some(help) = &self.help {
            anstream::eprintln!("  {bold}help{bold:#}: {help}");
        }
        ExitCode::from(self.status)
    }
}

/// Has panics, each of them a defect of the program, ask for a report.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let place = panic.location().map(ToString::to_string);
        eprintln!(
            "error: internal error: {} ({})\n  \
             This is a defect of fluxlint {}, not of your repository. Please report it, with\n  \
             this message and the command, at {}/issues",
            text.unwrap_or("unknown"),
            place.as_deref().unwrap_or("unknown place"),
            env!("CARGO_PKG_VERSION"),
            env!("CARGO_PKG_REPOSITORY"),
        );
    }));
}
