use std::io::Write as _;
use std::process::ExitCode;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use gamete_arena::MatchControl;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals as SignalIterator;

/// What a match does on signals: Ctrl-C once finishes the games in hand, twice breaks them off. SIGTERM, and SIGHUP
/// of a terminal that closes, break them off at once; another one later does not even wait for that.
#[derive(Default)]
pub struct Signals {
    /// The match that they end.
    pub control: Arc<MatchControl>,
    /// The signal that ends the match.
    signal: AtomicI32,
    /// When SIGTERM or SIGHUP came first.
    terminated: OnceLock<Instant>,
}

/// `timeout` and shells may send their signal twice, to the program and to its group. That is one.
const TWICE: Duration = Duration::from_secs(1);

impl Signals {
    /// Listens from now on. A SIGHUP that is ignored, as under `nohup`, stays ignored.
    ///
    /// # Errors
    ///
    /// When the system does not let us.
    pub fn listen() -> Result<Arc<Self>> {
        let signals = Arc::new(Self::default());
        let mut listened = vec![SIGINT, SIGTERM];
        if !is_ignored(SIGHUP) {
            listened.push(SIGHUP);
        }
        let mut incoming = SignalIterator::new(listened).context("cannot listen for signals")?;
        let receiver = Arc::clone(&signals);
        let receive = move || incoming.forever().for_each(|signal| receiver.receive(signal));
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(receive)
            .context("cannot listen for signals")?;
        Ok(signals)
    }

    fn receive(&self, signal: i32) {
        if self.terminated.get().is_some_and(|first| first.elapsed() > TWICE) {
            // The guard of the engines ends them.
            std::process::exit(128 + signal);
        }
        if signal != SIGINT {
            self.terminated.get_or_init(Instant::now);
        }
        if signal != SIGINT || !self.is_terminated() {
            self.signal.store(signal, Ordering::Relaxed);
        }
        let finishing = self.control.finish();
        if signal != SIGINT || finishing {
            self.control.stop();
        } else {
            // On a thread of its own: whoever announces a game may have to wait for its reader, and signals may not.
            let control = Arc::clone(&self.control);
            let notice = move || {
                control.between_announcements(|| {
                    let _ =
                        writeln!(anstream::stderr(), "finishing the games in hand; once more to stop now");
                });
            };
            // Where no thread can be started, the games in hand are finished without a word.
            let _ = std::thread::Builder::new().spawn(notice);
        }
    }

    /// Whether the match was told to end by something else than a key.
    pub fn is_terminated(&self) -> bool {
        self.terminated.get().is_some()
    }

    /// The exit status of a match that a signal ends, as shells have it: 130, 143 or 129.
    pub fn exit_code(&self) -> ExitCode {
        let signal = match self.signal.load(Ordering::Relaxed) {
            0 => SIGINT,
            signal => signal,
        };
        ExitCode::from(128 + signal as u8)
    }
}

/// Whether whoever started the program has it ignore a signal; only Linux says so.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
