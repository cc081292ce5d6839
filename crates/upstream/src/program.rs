//! Programs: where they are, which version they have, and how they are run.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use ecow::{EcoString, eco_format};

/// How long a program may take for one component.
const LIMIT: Duration = Duration::from_secs(120);

/// What one run may print.
const MAX_OUTPUT: u64 = 1 << 30;

/// Flux's own way to build.
const FLUX: &str = "flux build kustomization";

/// The programs that were found.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    /// `kustomize`, else `flux build kustomization`, else `kubectl kustomize`, which
    /// brings an older kustomize.
    pub kustomize: Option<Program>,
    /// `helm`
    pub helm: Option<Program>,
}

impl Programs {
    /// Looks for them in the directories of `PATH`.
    pub fn on_path() -> Self {
        Programs {
            kustomize: Program::kustomize(),
            helm: Program::helm(),
        }
    }
}

/// A program of upstream's.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it is called: `kustomize`, `flux build kustomization`, `kubectl kustomize`.
    pub name: &'static str,
    /// The version it says it has; empty where it does not say.
    pub version: EcoString,
    file: PathBuf,
    first: &'static [&'static str],
}

/// Prints as its name and version.
impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.version.as_str() {
            "" => f.write_str(self.name),
            version => write!(f, "{} {version}", self.name),
        }
    }
}

impl Program {
    fn kustomize() -> Option<Program> {
        let alone = find("kustomize").map(|file| {
            let version = said(&file, &["version"]).unwrap_or_default();
            Program {
                name: "kustomize",
                version: version.trim().into(),
                file,
                first: &["build"],
            }
        });
        alone.or_else(Program::flux).or_else(|| {
            let file = find("kubectl")?;
            let text = said(&file, &["version", "--client", "-o", "json"]).unwrap_or_default();
            let version = serde_json::from_str::<serde_json::Value>(&text).ok();
            let version = version.as_ref().and_then(|v| v.get("kustomizeVersion"));
            Some(Program {
                name: "kubectl kustomize",
                version: version.and_then(|v| v.as_str()).unwrap_or_default().into(),
                file,
                first: &["kustomize"],
            })
        })
    }

    fn flux() -> Option<Program> {
        let file = find("flux")?;
        let said = said(&file, &["--version"]).unwrap_or_default();
        Some(Program {
            name: FLUX,
            version: said.split_whitespace().last().unwrap_or_default().into(),
            file,
            first: &["build", "kustomization"],
        })
    }

    /// It is asked in Flux's terms.
    pub(crate) fn is_flux(&self) -> bool {
        self.name == FLUX
    }

    fn helm() -> Option<Program> {
        let file = find("helm")?;
        let version = said(&file, &["version", "--template", "{{.Version}}"]).unwrap_or_default();
        Some(Program {
            name: "helm",
            version: version.trim().into(),
            file,
            first: &["template"],
        })
    }

    /// Runs it in a directory and gives what it prints, or why it failed: what it
    /// printed as an error, or that it could not be run at all.
    pub(crate) fn run(
        &self,
        arguments: &[impl AsRef<OsStr>],
        dir: &Path,
    ) -> Result<String, Failure> {
        let mut command = Command::new(&self.file);
        command.args(self.first).args(arguments).current_dir(dir);
        let (status, out, err) = run(command).map_err(Failure::NotRun)?;
        match status.success() {
            true => Ok(out),
            false => Err(Failure::Refused(err.trim().into())),
        }
    }
}

/// Why there is no output.
pub(crate) enum Failure {
    /// The program ran and says this.
    Refused(EcoString),
    /// It could not be run to its end.
    NotRun(EcoString),
}

/// The file of a program in the directories of `PATH`.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path)
        // A relative directory may lie in the repository.
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(&name))
        .find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

fn said(file: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(file);
    command.args(arguments);
    let (status, out, _) = run(command).ok()?;
    status.success().then_some(out)
}

/// Runs a command within its limits. Output goes through files: nobody has to
/// read while it runs.
fn run(mut command: Command) -> Result<(ExitStatus, String, String), EcoString> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |error: std::io::Error| eco_format!("cannot run {name}: {error}");
    let out = tempfile::NamedTempFile::new().map_err(failed)?;
    let err = tempfile::NamedTempFile::new().map_err(failed)?;
    command
        .stdin(Stdio::null())
        .stdout(out.reopen().map_err(failed)?)
        .stderr(err.reopen().map_err(failed)?);
    let mut child = command.spawn().map_err(failed)?;
    let started = Instant::now();
    let mut pause = Duration::from_micros(500);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if started.elapsed() > LIMIT {
            let _ = child.kill();
            let _ = child.wait();
            return Err(eco_format!(
                "{name} did not end within {} s",
                LIMIT.as_secs()
            ));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    Ok((
        status,
        text(out.as_file(), out.path())?,
        text(err.as_file(), err.path())?,
    ))
}

fn text(file: &File, path: &Path) -> Result<String, EcoString> {
    let length = file.metadata().map_or(0, |meta| meta.len());
    if length > MAX_OUTPUT {
        return Err(eco_format!("the output has {length} bytes"));
    }
    let bytes =
        std::fs::read(path).map_err(|error| eco_format!("cannot read the output: {error}"))?;
    String::from_utf8(bytes).map_err(|_| "the output is no UTF-8".into())
}
