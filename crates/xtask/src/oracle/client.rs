//! Asks the program.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Answer, build, build_helm};
use crate::parallel;

/// One running program.
pub struct Oracle {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Oracle {
    /// Starts the program.
    pub fn start(program: &Path, env: &[(String, String)]) -> Result<Self, String> {
        let mut child = Command::new(program)
            .stderr(Stdio::null())
            .envs(env.iter().map(|(name, value)| (name, value)))
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
    pub fn ask<A: DeserializeOwned>(&mut self, request: &Value) -> Result<A, String> {
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
            Ok(_) => {
                serde_json::from_str(&reply).map_err(|e| format!("answer not understood: {e}"))
            }
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

/// Running programs, as many as threads ask at once: upstream builds only one
/// tree at a time in a process.
pub struct Pool {
    program: PathBuf,
    env: Vec<(String, String)>,
    idle: Mutex<Vec<Oracle>>,
}

impl Pool {
    /// Builds the program.
    pub fn new() -> Result<Self, String> {
        Ok(Pool {
            program: build()?,
            env: Vec::new(),
            idle: Mutex::default(),
        })
    }

    /// Builds the program that answers about charts.
    pub fn helm() -> Result<Self, String> {
        Ok(Pool {
            program: build_helm()?,
            env: Vec::new(),
            idle: Mutex::default(),
        })
    }

    /// The same with a variable in the environment of its programs.
    pub fn with_env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
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

    /// Asks one question.
    pub fn ask(&self, request: &Value) -> Answer {
        self.ask_as(request).unwrap_or_else(Answer::failed)
    }

    /// Asks one question whose answer has another form. An error means that the
    /// program itself is gone.
    pub fn ask_as<A: DeserializeOwned>(&self, request: &Value) -> Result<A, String> {
        let idle = self.idle().pop();
        let start = || Oracle::start(&self.program, &self.env);
        let mut oracle = idle.map_or_else(start, Ok)?;
        let answer = oracle.ask(request)?;
        self.idle().push(oracle);
        Ok(answer)
    }

    /// Asks all questions; answers stand in their order.
    pub fn ask_all(&self, requests: &[Value]) -> Vec<Answer> {
        parallel::map(requests, |request| self.ask(request))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Oracle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
