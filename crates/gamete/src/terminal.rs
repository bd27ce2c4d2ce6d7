//! What people see: errors, progress, numbers.

use std::io;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::plain::clean;

/// Prints plain text to the standard output, and gives an error where `print!` would panic: when nobody listens any more.
macro_rules! out {
    ($($arg:tt)*) => {{
        use std::io::Write as _;
        write!($crate::plain::stdout(), $($arg)*)
    }};
}

/// The same with an end of line.
macro_rules! outln {
    ($($arg:tt)*) => {{
        use std::io::Write as _;
        writeln!($crate::plain::stdout(), $($arg)*)
    }};
}

/// Prints a plain line to the standard error, whether or not anybody listens.
macro_rules! errln {
    ($($arg:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!($crate::plain::stderr(), $($arg)*);
    }};
}

pub(crate) use {errln, out, outln};

/// The longest lines of help.
pub const HELP_WIDTH: usize = 100;

const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Prints data as one line of JSON to the standard output.
pub fn print_json(data: &impl Serialize) -> io::Result<()> {
    outln!("{}", serde_json::to_string(data)?)
}

/// One line, whatever the error is made of.
pub fn print_error(error: &anyhow::Error) {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        // Some errors tell their cause themselves.
        if !text.contains(&cause) {
            let colon = if text.is_empty() { "" } else { ": " };
            text.push_str(&format!("{colon}{cause}"));
        }
    }
    print_problem(&text);
}

/// The same for what went wrong but did not stop the work.
pub fn print_problem(text: &str) {
    print_line(&format!("{ERROR}error{ERROR:#}: {}", one_line(text)));
}

/// One line on what people should know, though the work goes on.
pub fn print_warning(text: &str) {
    const WARNING: Style = AnsiColor::Yellow.on_default().bold();
    print_line(&format!("{WARNING}warning{WARNING:#}: {}", one_line(text)));
}

/// Prints to the standard error, which may be a terminal that is gone: `eprintln!` would panic then.
fn print_line(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// The text on one line.
pub fn one_line(text: &str) -> String {
    clean(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// Whether the reader of our output has gone away, which is its right.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(broken))
}

/// A bar over `steps` of work, seen only on a terminal.
pub fn progress(steps: u64, unit: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
    let template = format!("[{{wide_bar}}] {{pos}}/{{len}} {unit}, {{eta}} left");
    bar.set_style(ProgressStyle::with_template(&template).expect("a valid template").progress_chars("=> "));
    bar
}

/// A bar over `bytes` of input, seen only on a terminal.
pub fn byte_progress(bytes: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr());
    let template = "{msg} [{wide_bar}] {bytes}/{total_bytes}, {eta} left";
    bar.set_style(ProgressStyle::with_template(template).expect("a valid template").progress_chars("=> "));
    bar
}

/// A sign of life while something thinks, seen only on a terminal.
pub fn spinner(message: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
        .with_message(clean(message).into_owned());
    bar.enable_steady_tick(Duration::from_millis(100));
    bar.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("a valid template"));
    bar
}

/// A whole number with its thousands set apart.
pub fn grouped(number: u64) -> String {
    gamete_arena::grouped(&number.to_string())
}

/// So many of something: `1 game`, `2,000 games`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}
