//! Arguments of a command.

/// What stands behind the command's name.
pub struct Args(Vec<String>);

impl Args {
    /// These arguments.
    pub fn new(args: impl IntoIterator<Item = String>) -> Self {
        Args(args.into_iter().collect())
    }

    /// Takes a flag out and says whether it was there.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|arg| arg != name);
        self.0.len() != before
    }

    /// Takes a flag and its value out.
    pub fn value(&mut self, name: &str) -> Result<Option<String>, String> {
        let Some(at) = self.0.iter().position(|arg| arg == name) else {
            return Ok(None);
        };
        self.0.remove(at);
        if at < self.0.len() {
            Ok(Some(self.0.remove(at)))
        } else {
            Err(format!("{name} needs a value"))
        }
    }

    /// Takes the first argument out if it is one of `words`.
    pub fn word(&mut self, words: &[&str]) -> Option<String> {
        let first = self.0.first()?;
        words.contains(&first.as_str()).then(|| self.0.remove(0))
    }

    /// Takes a flag and its number out.
    pub fn number(&mut self, name: &str) -> Result<Option<u64>, String> {
        let parse = |value: String| {
            value
                .parse()
                .map_err(|_| format!("{name} needs a number, not {value:?}"))
        };
        self.value(name)?.map(parse).transpose()
    }

    /// What is left, which must not be flags.
    pub fn rest(self) -> Result<Vec<String>, String> {
        match self.0.iter().find(|arg| arg.starts_with('-')) {
            Some(unknown) => Err(format!("unknown flag {unknown}")),
            None => Ok(self.0),
        }
    }

    /// What is left, flags of another program and all.
    pub fn foreign(self) -> Vec<String> {
        self.0
    }

    /// Nothing may be left.
    pub fn done(self) -> Result<(), String> {
        match self.rest()?.first() {
            Some(extra) => Err(format!("unexpected argument {extra:?}")),
            None => Ok(()),
        }
    }
}
