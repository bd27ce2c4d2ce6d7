//! The UCI server with commands that come at awkward moments.

use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use gamete_arena::uci::serve;

/// Text that somebody sends piece by piece, and who is told whenever the next piece is waited for.
struct Pieces {
    pieces: Receiver<&'static str>,
    waits: Sender<()>,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Nobody may care any more.
        let _ = self.waits.send(());
        let piece = self.pieces.recv().unwrap_or_default();
        buffer[..piece.len()].copy_from_slice(piece.as_bytes());
        Ok(piece.len())
    }
}

/// Sends a piece with every best move, and lets the line end only when the piece has been taken.
struct Eager {
    pieces: Sender<&'static str>,
    waits: Receiver<()>,
    replies: Vec<&'static str>,
}

impl Write for Eager {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if text.starts_with(b"bestmove")
            && let Some(reply) = self.replies.pop()
        {
            while self.waits.try_recv().is_ok() {}
            self.pieces.send(reply).map_err(io::Error::other)?;
            self.waits.recv().map_err(io::Error::other)?;
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_stop_right_behind_a_go_that_answers_a_best_move_is_for_that_go() {
    let (pieces, receiver) = channel();
    let (waits, waited) = channel();
    let (done, is_done) = channel();
    pieces.send("go depth 1\n").expect("a reader");
    let input = BufReader::new(Pieces { pieces: receiver, waits });
    let output = Eager { pieces, waits: waited, replies: vec!["quit\n", "go infinite\nstop\n"] };
    std::thread::spawn(move || done.send(serve(input, output)));
    is_done.recv_timeout(Duration::from_secs(100)).expect("an end").expect("no failure");
}

#[test]
fn a_crowd_of_commands_behind_an_answer_is_done_with() {
    let mut text = String::new();
    for _ in 0..300 {
        text.push_str("go depth 1\n");
        text.push_str(&"isready\n".repeat(40));
    }
    text.push_str("quit\n");
    let (done, ended) = channel();
    std::thread::spawn(move || done.send(serve(io::Cursor::new(text), io::sink()).is_ok()));
    let ended = ended.recv_timeout(Duration::from_secs(120));
    assert_eq!(ended, Ok(true), "the server and its search wait for each other");
}
