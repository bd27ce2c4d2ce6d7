use std::time::Duration;

use gamete_chess::{Move, Position};
use gamete_engine::{Clock, Limit, Searcher};
use gamete_game::{Color, Game};

/// What `go` asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Go {
    /// When to stop.
    pub limit: Limit,
    /// The only moves to consider, if there are any.
    pub search_moves: Vec<Move>,
    /// Whether to hold the move back until told to stop.
    pub until_stopped: bool,
    /// Count positions instead.
    pub perft: Option<u32>,
    /// What was wrong and how it was taken.
    pub remarks: Vec<String>,
}

impl Go {
    /// Reads the words behind `go`. Whatever is wrong is taken in the nearest sense that lets the game go on.
    pub fn parse(words: &[&str], position: &Position, overhead: Duration) -> Self {
        let mut go = Self::default();
        let mut clock = ClockWords::default();
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            match word {
                "infinite" | "ponder" => go.until_stopped = true,
                "searchmoves" => {
                    // Whatever is spelt like a move is meant as one.
                    while let Some(word) = words.next_if(|word| word.parse::<Move>().is_ok()) {
                        match position.parse_uci(word) {
                            Ok(mv) => go.search_moves.push(mv),
                            Err(error) => go.remarks.push(format!("searchmoves {word}: {error}; ignored")),
                        }
                    }
                }
                "depth" | "nodes" | "movetime" | "mate" | "perft" | "wtime" | "btime" | "winc" | "binc"
                | "movestogo" => {
                    let text = words.next().unwrap_or_default();
                    match text.parse::<i64>() {
                        Ok(number) => go.number(word, number, overhead, &mut clock),
                        Err(_) => go.remarks.push(format!("{word} {text:?} is not a number; ignored")),
                    }
                }
                _ => go.remarks.push(format!("go does not know {word:?}; ignored")),
            }
        }
        let (time, increment) = match position.turn() {
            Color::White => (clock.white, clock.white_increment),
            Color::Black => (clock.black, clock.black_increment),
        };
        go.limit.clock = time.map(|time| Clock { time, increment, moves_to_go: clock.moves_to_go, overhead });
        go.until_stopped |= go.limit == Limit::INFINITE && go.perft.is_none();
        go
    }

    fn number(&mut self, word: &str, number: i64, overhead: Duration, clock: &mut ClockWords) {
        let time = Duration::from_millis(number.max(0) as u64);
        let mut positive = |most: i64| {
            let taken = number.clamp(1, most);
            if taken != number {
                let range =
                    if most == i64::MAX { "1 or more".to_owned() } else { format!("from 1 to {most}") };
                self.remarks.push(format!("{word} {number} is not {range}; taken as {taken}"));
            }
            taken
        };
        match word {
            "depth" => self.limit.depth = Some(positive(Searcher::<Position>::MAX_DEPTH.into()) as u32),
            "mate" => self.limit.mate = Some(positive(Searcher::<Position>::MAX_DEPTH.into()) as u32),
            "nodes" => self.limit.nodes = Some(positive(i64::MAX) as u64),
            "perft" => self.perft = Some(positive(20) as u32),
            "movetime" => {
                let time = Duration::from_millis(positive(i64::MAX) as u64);
                self.limit.time = Some(time.saturating_sub(overhead).max(Duration::from_millis(1)));
            }
            "wtime" => clock.white = Some(time),
            "btime" => clock.black = Some(time),
            "winc" => clock.white_increment = time,
            "binc" => clock.black_increment = time,
            // Some programs send 0 for "until the end of the game".
            _ if number < 0 => self.remarks.push(format!("{word} {number} is less than 0; ignored")),
            _ => clock.moves_to_go = u32::try_from(number).ok().filter(|&moves| moves > 0),
        }
    }
}

#[derive(Default)]
struct ClockWords {
    white: Option<Duration>,
    black: Option<Duration>,
    white_increment: Duration,
    black_increment: Duration,
    moves_to_go: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Go {
        let words: Vec<_> = text.split(' ').collect();
        Go::parse(&words, &Position::start(), Duration::from_millis(10))
    }

    #[test]
    fn all_forms_are_understood() {
        assert_eq!(parse("depth 7").limit, Limit::depth(7));
        assert_eq!(parse("nodes 1000").limit, Limit::nodes(1000));
        assert_eq!(parse("movetime 100").limit, Limit::time(Duration::from_millis(90)));
        assert_eq!(parse("mate 3").limit, Limit { mate: Some(3), ..Limit::INFINITE });
        assert!(parse("infinite").until_stopped);
        assert!(!parse("depth 3").until_stopped);
        assert_eq!(parse("perft 3").perft, Some(3));
        let clock = parse("wtime 1000 btime 2000 winc 10 binc 20 movestogo 40").limit.clock.expect("a clock");
        assert_eq!((clock.time, clock.increment), (Duration::from_secs(1), Duration::from_millis(10)));
        assert_eq!(clock.moves_to_go, Some(40));
        let go = parse("searchmoves e2e4 d2d4 depth 5");
        assert_eq!((go.search_moves.len(), go.limit), (2, Limit::depth(5)));
        let go = parse("searchmoves e2e5 a2a3 depth 5");
        assert_eq!((go.search_moves.len(), go.limit), (1, Limit::depth(5)));
        assert_eq!(go.remarks, ["searchmoves e2e5: illegal move; ignored"]);
    }

    #[test]
    fn nonsense_is_taken_in_the_nearest_sense() {
        assert_eq!(parse("depth 0").limit, Limit::depth(1));
        assert_eq!(parse("depth 500").limit, Limit::depth(Searcher::<Position>::MAX_DEPTH));
        let go = parse("movetime -5");
        assert_eq!(go.limit, Limit::time(Duration::from_millis(1)));
        assert_eq!(go.remarks, ["movetime -5 is not 1 or more; taken as 1"]);
        let go = parse("wtime 1000 movestogo -3");
        assert_eq!(go.limit.clock.expect("a clock").moves_to_go, None);
        assert_eq!(go.remarks, ["movestogo -3 is less than 0; ignored"]);
        // Clocks that have run out are told as less than nothing.
        assert_eq!(parse("wtime -5 btime 9").limit.clock.expect("a clock").time, Duration::ZERO);
        assert_eq!(
            parse("depth deep nodes 5 sideways").remarks,
            ["depth \"deep\" is not a number; ignored", "go does not know \"sideways\"; ignored"]
        );
    }
}
