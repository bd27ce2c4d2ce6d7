//! Ends the process groups of engines when this program ends before it could, even by SIGKILL.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// A shell that keeps a list of process groups, which it reads from a pipe, and kills them when the pipe is closed. It
/// is in a group of its own, so that no signal to ours and no key reaches it.
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
groups=' '
while read -r word group; do
    case $word in
        watch) groups="$groups$group " ;;
        release) groups="${groups%% $group *} ${groups#* $group }" ;;
    esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
"#;

static GUARD: Mutex<Guard> = Mutex::new(Guard { shell: None, groups: Vec::new() });

/// The shell runs only while there are engines.
struct Guard {
    shell: Option<Child>,
    groups: Vec<u32>,
}

/// Has a process group killed when this program ends.
pub(super) fn watch(group: u32) {
    let mut guard = GUARD.lock().unwrap_or_else(PoisonError::into_inner);
    guard.groups.push(group);
    if guard.shell.is_none() || !guard.tell("watch", group) {
        guard.start();
    }
}

/// Takes a process group that has ended off the list, before its number can be that of another one.
pub(super) fn release(group: u32) {
    let mut guard = GUARD.lock().unwrap_or_else(PoisonError::into_inner);
    guard.groups.retain(|&other| other != group);
    guard.tell("release", group);
    if guard.groups.is_empty() {
        guard.end();
    }
}

impl Guard {
    /// Starts the shell with all groups there are. Where there is none, engines are left to see the end of their input.
    fn start(&mut self) {
        self.end();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "gamete-guard"]).current_dir("/").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        self.shell = command.spawn().ok();
        for group in self.groups.clone() {
            self.tell("watch", group);
        }
    }

    fn tell(&mut self, word: &str, group: u32) -> bool {
        let input = self.shell.as_mut().and_then(|shell| shell.stdin.as_mut());
        input.is_some_and(|input| input.write_all(format!("{word} {group}\n").as_bytes()).is_ok())
    }

    /// Ends a shell that has nothing on its list any more, or that was ended by others.
    fn end(&mut self) {
        if let Some(mut shell) = self.shell.take() {
            if !self.groups.is_empty() {
                let _ = shell.kill();
            }
            let _ = shell.wait();
        }
    }
}
