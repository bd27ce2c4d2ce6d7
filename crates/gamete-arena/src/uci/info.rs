use gamete_game::Score;

use crate::MoveDetail;

/// What an engine has said about the move it is thinking of, as it goes.
///
/// The score is that of the last line about the best move that is exact, or at least a bound if none is.
#[derive(Debug, Default)]
pub(crate) struct SearchInfo {
    best: Option<Scored>,
    nodes: Option<u64>,
    /// The count of nodes said first: some engines never start again at 0.
    first_nodes: Option<u64>,
    nps: Option<u64>,
    hashfull: Option<u32>,
    table_hits: Option<u64>,
    pv: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scored {
    pub(crate) score: Score,
    pub(crate) depth: u32,
    pub(crate) selective_depth: Option<u32>,
    is_bound: bool,
}

impl SearchInfo {
    pub(crate) fn clear(&mut self) {
        self.best = None;
        (self.nodes, self.first_nodes) = (None, None);
        (self.nps, self.hashfull, self.table_hits) = (None, None, None);
        self.pv.clear();
    }

    pub(crate) fn best(&self) -> Option<Scored> {
        self.best
    }

    /// The count of nodes said last.
    pub(crate) fn nodes(&self) -> Option<u64> {
        self.nodes
    }

    /// How many nodes were searched for certain.
    pub(crate) fn searched(&self) -> Option<u64> {
        Some(self.nodes?.saturating_sub(self.first_nodes?))
    }

    /// All that was said besides score, depth and nodes.
    pub(crate) fn detail(&self) -> MoveDetail {
        let (nps, hashfull, table_hits) = (self.nps, self.hashfull, self.table_hits);
        let pv = Some(self.pv.trim_ascii().to_owned()).filter(|pv| !pv.is_empty());
        MoveDetail { nps, hashfull, table_hits, pv, time_left_ms: None }
    }

    /// The line that goes with the score.
    pub(crate) fn pv(&self) -> &str {
        &self.pv
    }

    /// Takes in the words behind `info`.
    pub(crate) fn read(&mut self, words: &str) {
        let line = parse(words);
        self.nodes = line.nodes.or(self.nodes);
        self.first_nodes = self.first_nodes.or(self.nodes);
        self.nps = line.nps.or(self.nps);
        self.hashfull = line.hashfull.or(self.hashfull);
        self.table_hits = line.table_hits.or(self.table_hits);
        let (Some(score), true) = (line.score, line.multipv <= 1) else { return };
        if line.is_bound && self.best.is_some_and(|best| !best.is_bound) {
            return;
        }
        let (depth, selective_depth) = (line.depth.unwrap_or(0), line.selective_depth);
        self.best = Some(Scored { score, depth, selective_depth, is_bound: line.is_bound });
        self.pv.clear();
        self.pv.push_str(line.pv);
    }
}

#[derive(Default)]
struct InfoLine<'a> {
    depth: Option<u32>,
    selective_depth: Option<u32>,
    multipv: u32,
    score: Option<Score>,
    is_bound: bool,
    nodes: Option<u64>,
    nps: Option<u64>,
    hashfull: Option<u32>,
    table_hits: Option<u64>,
    pv: &'a str,
}

fn parse(words: &str) -> InfoLine<'_> {
    let mut line = InfoLine::default();
    let mut rest = words;
    while let Some(word) = next_word(&mut rest) {
        match word {
            "depth" => line.depth = number(&mut rest),
            "seldepth" => line.selective_depth = number(&mut rest),
            "multipv" => line.multipv = number(&mut rest).unwrap_or(0),
            "nodes" => line.nodes = number(&mut rest),
            "nps" => line.nps = number(&mut rest),
            "hashfull" => line.hashfull = number(&mut rest),
            "tbhits" => line.table_hits = number(&mut rest),
            "score" => line.score = score(&mut rest),
            "lowerbound" | "upperbound" => line.is_bound = true,
            "pv" => line.pv = moves(&mut rest),
            // Whatever follows is for people.
            "string" => break,
            _ => {}
        }
    }
    line
}

fn next_word<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let text = rest.trim_ascii_start();
    let end = text.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    *rest = after;
    (!word.is_empty()).then_some(word)
}

fn number<T: std::str::FromStr>(rest: &mut &str) -> Option<T> {
    next_word(rest)?.parse().ok()
}

/// Mates are said in moves, and a mate that stands on the board is lost in none.
fn score(rest: &mut &str) -> Option<Score> {
    match next_word(rest)? {
        "cp" => number(rest).map(Score::centipawns),
        "mate" => {
            let moves: i32 = number(rest)?;
            let plies = moves.unsigned_abs().saturating_mul(2);
            Some(if moves > 0 { Score::win_in(plies - 1) } else { Score::loss_in(plies) })
        }
        _ => None,
    }
}

/// All words that look like moves. Most engines put them last, but not all.
fn moves<'a>(rest: &mut &'a str) -> &'a str {
    let start = rest.trim_ascii_start();
    let mut end = start;
    loop {
        let mut after = end;
        match next_word(&mut after) {
            Some(word) if looks_like_move(word) => end = after,
            _ => break,
        }
    }
    *rest = end;
    &start[..start.len() - end.len()]
}

fn looks_like_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    matches!(bytes.len(), 4 | 5) && bytes[0].is_ascii_alphanumeric() && bytes[1].is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(lines: &[&str]) -> SearchInfo {
        let mut info = SearchInfo::default();
        for line in lines {
            info.read(line.strip_prefix("info").expect("an info line"));
        }
        info
    }

    fn score(lines: &[&str]) -> String {
        read(lines).best().map_or_else(|| "none".to_owned(), |best| format!("{}/{}", best.score, best.depth))
    }

    #[test]
    fn the_last_exact_score_counts() {
        let lines = [
            "info string NNUE evaluation using nn-ad9b42354671.nnue enabled",
            "info depth 1 seldepth 1 multipv 1 score cp 38 nodes 20 nps 20000 hashfull 0 tbhits 0 time 1 pv d2d4",
            "info depth 9 seldepth 12 multipv 1 score cp 45 nodes 6261 nps 521750 tbhits 0 time 12 pv e2e4 e7e5 g1f3",
            "info depth 10 seldepth 12 multipv 1 score cp 52 lowerbound nodes 7000 nps 500000 tbhits 0 time 14 pv e2e4",
            "info depth 10 currmove e2e4 currmovenumber 1",
        ];
        let info = read(&lines);
        let best = info.best().unwrap();
        assert_eq!((best.score, best.depth, best.selective_depth), (Score::centipawns(45), 9, Some(12)));
        assert_eq!((info.nodes(), info.pv()), (Some(7000), "e2e4 e7e5 g1f3"));
    }

    #[test]
    fn a_bound_is_better_than_nothing() {
        assert_eq!(score(&["info depth 3 score cp -20 upperbound nodes 55 pv a2a3"]), "-0.20/3");
        let two = ["info depth 3 score cp -20 upperbound", "info depth 3 score upperbound cp -30"];
        assert_eq!(score(&two), "-0.20/3");
        let two = ["info depth 3 score cp -20 upperbound", "info depth 4 score cp -35 upperbound"];
        assert_eq!(score(&two), "-0.35/4");
    }

    #[test]
    fn mates_are_counted_in_plies() {
        assert_eq!(score(&["info depth 20 score mate 5 nodes 1 pv e2e4"]), "+M9/20");
        assert_eq!(score(&["info depth 20 score mate -4 nodes 1 pv e2e4"]), "-M8/20");
        assert_eq!(score(&["info depth 0 score mate 0"]), "-M0/0");
        assert_eq!(score(&["info depth 1 score mate -2147483648"]), "-M1000/1");
    }

    #[test]
    fn only_the_best_move_counts() {
        let lines = [
            "info depth 8 seldepth 10 multipv 1 score cp 40 nodes 900 pv e2e4",
            "info depth 8 seldepth 9 multipv 2 score cp 31 nodes 950 pv d2d4",
        ];
        assert_eq!(score(&lines), "+0.40/8");
        assert_eq!(read(&lines).nodes(), Some(950));
    }

    #[test]
    fn other_orders_and_extras_are_understood() {
        // Ethereal, with chances of winning; and a line before its score, as old engines have it.
        assert_eq!(
            score(&[
                "info depth 12 seldepth 17 multipv 1 score cp -8 time 20 nodes 33010 nps 1571904 tbhits 0 hashfull 9 pv d7d5 c2c4"
            ]),
            "-0.08/12"
        );
        assert_eq!(score(&["info depth 5 score cp 13 wdl 100 850 50 nodes 10"]), "+0.13/5");
        let early = read(&["info depth 5 pv e2e4 a7a8q score cp 7 nodes 10"]);
        assert_eq!((early.pv(), early.nodes()), ("e2e4 a7a8q", Some(10)));
        assert_eq!(early.best().unwrap().score, Score::centipawns(7));
    }

    #[test]
    fn words_for_people_are_never_a_score() {
        assert_eq!(score(&["info string score cp 500 depth 3"]), "none");
        assert_eq!(score(&["info depth 3 string score cp 500"]), "none");
        assert_eq!(score(&["info depth 3 score cp banana", "info", "info score", "info score cp"]), "none");
        assert_eq!(score(&["info depth 3 currmove e2e4 currmovenumber 1"]), "none");
    }

    proptest! {
        #[test]
        fn any_text_is_survived(words in ".*") {
            SearchInfo::default().read(&words);
        }
    }
}
