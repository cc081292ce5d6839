//! Asks the program.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use super::{Answer, build};
use crate::parallel;

/// One running program.
pub struct Oracle {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Oracle {
    /// Starts the program.
    pub fn start(program: &Path) -> Result<Self, String> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: {e}", program.display()))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("no pipes".to_owned());
        };
        Ok(Oracle {
            child,
            requests: Some(requests),
            answers: BufReader::new(answers),
        })
    }

    /// Asks one question. What upstream refuses is an answer, too; an error
    /// means that the program itself is gone.
    pub fn ask(&mut self, request: &Value) -> Result<Answer, String> {
        let requests = self.requests.as_mut().ok_or("the program has ended")?;
        let mut line = request.to_string();
        line.push('\n');
        requests
            .write_all(line.as_bytes())
            .and_then(|()| requests.flush())
            .map_err(|e| format!("the oracle takes no request: {e}"))?;
        let mut reply = String::new();
        match self.answers.read_line(&mut reply) {
            Ok(0) => Err("the oracle has ended".to_owned()),
            Ok(_) => serde_json::from_str(&reply).map_err(|e| format!("answer not understood: {e}")),
            Err(e) => Err(format!("the oracle gives no answer: {e}")),
        }
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // End of input ends the program and its own child.
        self.requests = None;
        let _ = self.child.wait();
    }
}

/// A program a core: upstream builds only one tree at a time in a process.
pub struct Pool {
    program: PathBuf,
}

impl Pool {
    /// Builds the program.
    pub fn new() -> Result<Self, String> {
        Ok(Pool { program: build()? })
    }

    /// [`Pool::new`], or `None` and a loud message on stderr.
    pub fn or_warn() -> Option<Self> {
        match Pool::new() {
            Ok(pool) => Some(pool),
            Err(reason) => {
                eprintln!("WARNING: NO ORACLE. {reason}");
                eprintln!("WARNING: only recorded answers can be compared with.");
                None
            }
        }
    }

    /// A program to ask one question after the other.
    pub fn one(&self) -> Result<Oracle, String> {
        Oracle::start(&self.program)
    }

    /// Asks all questions; answers stand in their order.
    pub fn ask_all(&self, requests: &[Value]) -> Vec<Answer> {
        parallel::map_with(
            requests,
            || self.one(),
            |oracle, request| match oracle {
                Ok(running) => running.ask(request).unwrap_or_else(Answer::failed),
                Err(reason) => Answer::failed(reason.as_str()),
            },
        )
    }
}
