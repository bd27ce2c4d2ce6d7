use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// A broker of our own, which ends with us.
pub struct PrivateBroker {
    program: PathBuf,
    child: Child,
    address: SocketAddr,
    log: PathBuf,
    begun: Instant,
    is_up: bool,
}

/// Where programs of system administrators are, which the search path of others may leave out.
const FOLDERS: [&str; 3] = ["/usr/sbin", "/usr/local/sbin", "/sbin"];

/// How long a broker may take to answer.
const STARTING: Duration = Duration::from_secs(20);

impl PrivateBroker {
    /// Starts a program, or the `nats-server` that is found, to listen on an address and to keep what it is given in a folder.
    ///
    /// # Errors
    ///
    /// When there is no such program, or the port or the folder is in use.
    pub fn start(program: Option<&Path>, address: SocketAddr, folder: &Path) -> Result<Self> {
        let program = match program {
            Some(program) => program.to_owned(),
            None => find().context(
                "there is no nats-server on the search path; install it (`apt-get install nats-server`, `brew install \
                 nats-server`, or https://nats.io/download), or name it with --program",
            )?,
        };
        let named = || folder.display().to_string();
        std::fs::create_dir_all(folder).with_context(named)?;
        let mut claim = open_lock(folder).with_context(named)?;
        // Two brokers on the same files would damage them.
        if claim.try_lock().is_err() {
            let mut process = String::new();
            let _ = claim.read_to_string(&mut process);
            let which = match process.trim() {
                "" => "another broker".to_owned(),
                process => format!("another broker, process {process},"),
            };
            bail!("{}: {which} keeps its files there; end it, or give another --folder", named());
        }
        if TcpStream::connect_timeout(&reachable(address), Duration::from_secs(1)).is_ok() {
            bail!("port {} is in use; give another --port", address.port());
        }
        let log = folder.join("broker.log");
        let child = Command::new(&program)
            .args(["-a", &address.ip().to_string(), "-p", &address.port().to_string(), "-js", "-sd"])
            .arg(folder)
            .arg("-l")
            .arg(&log)
            // It keeps the lock as long as it lives, also where we are killed.
            .stdin(claim.try_clone().with_context(named)?)
            // A Ctrl-C is for us, and we end it then.
            .process_group(0)
            .spawn()
            .with_context(|| program.display().to_string())?;
        // Only for people who look for it.
        let _ = claim.set_len(0).and_then(|()| write!(claim, "{}", child.id()));
        Ok(Self { program, child, address, log, begun: Instant::now(), is_up: false })
    }

    /// Whether it answers yet.
    ///
    /// # Errors
    ///
    /// When it has ended, or should have answered long ago.
    pub fn is_up(&mut self) -> Result<bool> {
        if let Some(status) = self.child.try_wait()? {
            bail!("{} has ended ({status}): {}", self.program.display(), last_line(&self.log));
        }
        self.is_up = self.is_up || TcpStream::connect(reachable(self.address)).is_ok();
        if !self.is_up && self.begun.elapsed() > STARTING {
            bail!("{} does not answer: {}", self.program.display(), last_line(&self.log));
        }
        Ok(self.is_up)
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("nats://{}", reachable(self.address))
    }

    /// Its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for PrivateBroker {
    fn drop(&mut self) {
        let id = rustix::process::Pid::from_child(&self.child);
        // It writes down what it has.
        let _ = rustix::process::kill_process(id, rustix::process::Signal::INT);
        let _ = self.child.wait();
    }
}

/// The file that whoever keeps things in this folder has locked, with the number of the process.
fn open_lock(folder: &Path) -> std::io::Result<File> {
    let path = folder.join("broker.lock");
    OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)
}

/// The address at which we reach who listens on this one.
fn reachable(address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port())
    } else {
        address
    }
}

fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(FOLDERS.map(PathBuf::from));
    folders.map(|folder| folder.join("nats-server")).find(|program| program.is_file())
}

fn last_line(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines().last().unwrap_or("it says nothing").to_owned()
}
