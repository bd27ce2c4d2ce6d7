use std::io::Write;

use gamete_game::{ByColor, Color};

use crate::{GameClock, Limits};

/// Writes the `go` that asks for a move under limits. Clocks are told to the millisecond, and never as empty: some engines take that for no clock at all.
pub(super) fn write_go(
    text: &mut Vec<u8>,
    turn: Color,
    limits: &Limits,
    clocks: &ByColor<Option<GameClock>>,
) {
    text.extend_from_slice(b"\ngo");
    let length = text.len();
    let mut say = |word: &str, number: u128| write!(text, " {word} {number}").expect("room in memory");
    for (color, time, increment) in [(Color::White, "wtime", "winc"), (Color::Black, "btime", "binc")] {
        if let Some(clock) = clocks[color] {
            say(time, clock.left().as_millis().max(1));
            say(increment, clock.increment().as_millis());
        }
    }
    if let Some(moves) = clocks[turn].and_then(|clock| clock.moves_to_go()) {
        say("movestogo", moves.into());
    }
    if let Some(time) = limits.move_time {
        say("movetime", time.as_millis().max(1));
    }
    if let Some(nodes) = limits.nodes {
        say("nodes", nodes.into());
    }
    if let Some(depth) = limits.depth {
        say("depth", depth.into());
    }
    let nothing_said = text.len() == length;
    text.extend_from_slice(if nothing_said { b" infinite\n" } else { b"\n" });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_says_all_limits() {
        let go = |limits: &str, clocks: [&str; 2], turn| {
            let clock = |text: &str| GameClock::new(&text.parse().unwrap());
            let clocks = ByColor { white: clock(clocks[0]), black: clock(clocks[1]) };
            let mut text = Vec::new();
            write_go(&mut text, turn, &limits.parse().unwrap(), &clocks);
            String::from_utf8(text).unwrap()
        };
        assert_eq!(go("nodes=1000", ["inf", "inf"], Color::White), "\ngo nodes 1000\n");
        assert_eq!(go("depth=5 st=0.25", ["inf", "inf"], Color::White), "\ngo movetime 250 depth 5\n");
        assert_eq!(
            go("", ["40/10+0.1", "5+0.002"], Color::White),
            "\ngo wtime 10100 winc 100 btime 5002 binc 2 movestogo 40\n"
        );
        assert_eq!(go("", ["40/10+0.1", "inf"], Color::Black), "\ngo wtime 10100 winc 100\n");
        assert_eq!(go("", ["0+0.0005", "1"], Color::White), "\ngo wtime 1 winc 0 btime 1000 binc 0\n");
        assert_eq!(go("", ["inf", "inf"], Color::White), "\ngo infinite\n");
    }
}
