use gamete_game::{Color, Format, Game, Outcome, Tags, Transcript};

use crate::{Move, Position, Rules, notation};

/// Portable Draughts Notation: how files of checkers games are read and written.
///
/// The result of a game is ambiguous in PDN (see [`ResultOrder`]), so games are written with a tag `Winner` that
/// says `Black`, `White` or `draw`; when a game that is read has this tag, it decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pdn {
    /// How jumps are written; all ways are read.
    pub paths: Paths,
    /// Whose result is named first, both when reading and when writing.
    pub results: ResultOrder,
    /// The rules that games are read by. Files do not tell.
    pub rules: Rules,
}

/// How moves of several jumps are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Paths {
    /// First and last square where that says enough: `24x6`.
    #[default]
    Short,
    /// Every square: `24x15x6`.
    Full,
}

/// Whose result is named first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ResultOrder {
    /// `1-0` means that White won, as most programs have it.
    #[default]
    WhiteFirst,
    /// `1-0` means that the side that starts won, Black, as CheckerBoard has it.
    StarterFirst,
}

impl ResultOrder {
    fn first(self) -> Color {
        match self {
            Self::WhiteFirst => Color::White,
            Self::StarterFirst => Color::Black,
        }
    }
}

/// The number of English checkers among the games of PDN.
const GAME_TYPE: &str = "21";

impl Format for Pdn {
    type Game = Position;

    fn start(&self, tags: &Tags) -> Result<Position, String> {
        if let Some(game_type) = tags.get("GameType") {
            let number = game_type.split(',').next().unwrap_or_default().trim();
            if number != GAME_TYPE {
                return Err(format!(
                    "tag GameType: expected {GAME_TYPE}, English checkers, found {game_type:?}"
                ));
            }
        }
        let start = match tags.find("FEN") {
            Some(fen) => fen.parse().map_err(|error| format!("tag FEN: {error}"))?,
            None if tags.find("SetUp") == Some("1") => {
                return Err("tag SetUp: there is no tag FEN".to_owned());
            }
            None => Position::start(),
        };
        Ok(start.with_rules(self.rules))
    }

    fn parse_result(&self, word: &str) -> Option<Option<Outcome>> {
        let first = self.results.first();
        Some(match word {
            "1-0" | "2-0" => Some(Outcome::Win(first)),
            "0-1" | "0-2" => Some(Outcome::Win(!first)),
            "1/2-1/2" | "1/2" | "1-1" | "½-½" => Some(Outcome::Draw),
            // Both sides lost by forfeit.
            "*" | "0-0" => None,
            _ => return None,
        })
    }

    fn is_misspelt(&self, mv: Move, word: &str) -> bool {
        if mv.is_capture() { word.contains(notation::STEP) } else { word.contains(notation::JUMP) }
    }

    fn may_join(&self, first: &str, second: &str) -> bool {
        notation::may_join(first, second)
    }

    fn has_starred_moves(&self) -> bool {
        true
    }

    fn outcome(&self, tags: &Tags, result: Option<Option<Outcome>>) -> Option<Outcome> {
        let winner = tags.get("Winner").and_then(parse_winner);
        winner.or_else(|| result.or_else(|| self.parse_result(tags.get("Result")?)).flatten())
    }

    fn tags(&self, game: &Transcript<Position>) -> Tags {
        let mut tags = game.tags.clone();
        tags.set("Result", self.result_text(game.outcome));
        match game.outcome {
            Some(outcome) => tags.set("Winner", winner_text(outcome)),
            None => tags.remove("Winner"),
        }
        tags.set("GameType", GAME_TYPE);
        tags.remove("SetUp");
        tags.remove("FEN");
        if game.start != Position::start().with_rules(game.start.rules()) {
            tags.set("SetUp", "1");
            tags.set("FEN", game.start.to_string());
        }
        tags
    }

    fn result_text(&self, outcome: Option<Outcome>) -> &'static str {
        match outcome {
            Some(Outcome::Win(color)) if color == self.results.first() => "1-0",
            Some(Outcome::Win(_)) => "0-1",
            Some(Outcome::Draw) => "1/2-1/2",
            None => "*",
        }
    }

    fn move_text(&self, position: &Position, mv: Move) -> String {
        match self.paths {
            Paths::Short => position.move_text(mv),
            Paths::Full => position.full_move_text(mv),
        }
    }
}

fn winner_text(outcome: Outcome) -> String {
    outcome.winner().map_or_else(|| "draw".to_owned(), |color| color.to_string())
}

fn parse_winner(text: &str) -> Option<Outcome> {
    let outcomes = [Outcome::Win(Color::White), Outcome::Win(Color::Black), Outcome::Draw];
    outcomes.into_iter().find(|&outcome| text.eq_ignore_ascii_case(&winner_text(outcome)))
}

#[cfg(test)]
mod tests {
    use gamete_game::{Ply, ReadErrorKind, TranscriptReader, TranscriptWriter};
    use proptest::prelude::*;

    use super::*;
    use crate::strategies::{playout, scattered};

    fn read(text: &str, format: Pdn) -> Vec<Transcript<Position>> {
        TranscriptReader::new(text.as_bytes(), format).map(|game| game.expect("a game")).collect()
    }

    fn start_error(text: &str) -> String {
        let error =
            TranscriptReader::new(text.as_bytes(), Pdn::default()).next_game().expect("a game").unwrap_err();
        let ReadErrorKind::Start(message) = error.kind else { panic!("{error}") };
        message
    }

    fn write(game: &Transcript<Position>, format: Pdn) -> String {
        let mut writer = TranscriptWriter::new(Vec::new(), format);
        writer.write(game).expect("memory to write to");
        String::from_utf8(writer.into_inner()).expect("text")
    }

    #[test]
    fn reads_a_game() {
        let text =
            "[Event \"a\"]\n[GameType \"21\"]\n\n1. 11-15 22-18 {gives one} 2. 15x22 25x18 (25-18) 1/2-1/2\n";
        let games = read(text, Pdn::default());
        assert_eq!(games.len(), 1);
        assert_eq!(games[0].plies.len(), 4);
        assert_eq!(games[0].outcome, Some(Outcome::Draw));
    }

    #[test]
    fn the_convention_says_who_won_unless_the_tags_do() {
        let starter_first = Pdn { results: ResultOrder::StarterFirst, ..Pdn::default() };
        let outcome = |text: &str, format| read(text, format)[0].outcome;
        assert_eq!(outcome("1. 11-15 1-0", Pdn::default()), Some(Outcome::Win(Color::White)));
        assert_eq!(outcome("1. 11-15 1-0", starter_first), Some(Outcome::Win(Color::Black)));
        assert_eq!(outcome("1. 11-15 0-2", starter_first), Some(Outcome::Win(Color::White)));
        assert_eq!(outcome("1. 11-15 1-1", starter_first), Some(Outcome::Draw));
        assert_eq!(
            outcome("[Winner \"black\"]\n1. 11-15 1-0", Pdn::default()),
            Some(Outcome::Win(Color::Black))
        );
        assert_eq!(outcome("[Result \"0-1\"]\n1. 11-15", Pdn::default()), Some(Outcome::Win(Color::Black)));
        assert_eq!(outcome("[Winner \"A. Long\"]\n1. 11-15 *", Pdn::default()), None);
    }

    /// The moves of a text with one game, and how many of them had the wrong separator.
    fn moves(text: &str) -> (String, u64) {
        let mut games = TranscriptReader::new(text.as_bytes(), Pdn::default());
        let game = games.next_game().expect("a game").unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(games.next_game().is_none(), "{text}");
        let words: Vec<_> = game.plies.iter().map(|ply| ply.mv.to_string()).collect();
        (words.join(" "), games.misspelt())
    }

    #[test]
    fn games_are_read_as_archives_write_them() {
        // The separators of old collections are made by a program that looked at the distance of the numbers.
        let text = "1. 11x15 23-18 2. 8-11 27-23 3. 4-8 23-19 4. 10x14 19-10 5. 14-23 26x19 *";
        let right = "11-15 23-18 8-11 27-23 4-8 23-19 10-14 19x10 14x23 26x19";
        assert_eq!(moves(text), (right.into(), 4));
        // The last move of a game without its number, a result on its own line, moves that are cut by lines.
        let text = "1. 9-14 22-18 2.\n5-9 18x15 3. 11x18 \n1/2-1/2\n\n";
        assert_eq!(moves(text), ("9-14 22-18 5-9 18-15 11x18".into(), 1));
        // Spaces around separators, numbers without a full stop, leading zeros.
        assert_eq!(moves("1 09 - 14 22 -18 2 05- 09 *"), ("9-14 22-18 5-9".into(), 0));
        // Jumps one by one, and with nothing but the first and last square.
        let start = "[FEN \"B:W6,15,24,32:BK1.\"]\n";
        for jump in ["1x10x19x28", "1x10 10x19 19x28", "1x28", "1-28", "1x10 10x28!"] {
            let (read, misspelt) = moves(&format!("{start}1. {jump} 32-27 *"));
            assert_eq!((read.as_str(), misspelt), ("1x10x19x28 32-27", u64::from(jump == "1-28")), "{jump}");
        }
        // Strength as PDN 3.0 has it: in parentheses, and a star for the only move.
        let text = "1. 9-14(!) 22-18* 2. 5-9 $1 24-19!? {a remark} (24-20 10-15) 3. 11-15* *";
        assert_eq!(moves(text).0, "9-14 22-18 5-9 24-19 11-15");
        assert_eq!(read(text, Pdn::default())[0].plies[0].nags, [1]);
        // A star that nothing comes behind is the end of the game.
        let games = "1. 9-14 22-18*\n\n1. 11-15 *\n[Event \"c\"]\n1. 10-14*\n[Event \"d\"]\n1. 12-16*";
        assert_eq!(read(games, Pdn::default()).len(), 4);
    }

    #[test]
    fn half_a_jump_is_not_a_move() {
        let text = "[FEN \"B:W6,15,24,32:BK1\"]\n1. 1x10 32-27 *\n\n[Event \"b\"]\n1. 11-15 *";
        let games: Vec<_> = TranscriptReader::new(text.as_bytes(), Pdn::default()).collect();
        assert_eq!(games[0].as_ref().unwrap_err().to_string(), "game 1, line 2: illegal move: 1. \"1x10\"");
        assert!(games.len() == 2 && games[1].is_ok());
        let mut cut = TranscriptReader::new(&b"1. 9-14 22-"[..], Pdn::default());
        let error = cut.next_game().expect("a game").unwrap_err().to_string();
        assert_eq!(error, "game 1, line 1: the game is cut off in the middle of a move: 1... \"22-\"");
    }

    #[test]
    fn the_position_is_found_however_its_tag_is_written() {
        for tag in
            ["[FEN \"B:WK32:BK1\"]", "[fen \" b:bk1:wk32. \"]", "[Fen \"B:BK1:WK32:H0:F1\"]\n[Setup \"1\"]"]
        {
            assert_eq!(moves(&format!("{tag}\n\n1. 1-6 *")).0, "1-6", "{tag}");
        }
        assert_eq!(moves("[FEN \"\"]\n1. 9-14 *").0, "9-14");
    }

    #[test]
    fn refuses_other_games_by_the_tag() {
        assert_eq!(
            start_error("[GameType \"20\"]\n1. 32-28 *"),
            "tag GameType: expected 21, English checkers, found \"20\""
        );
        assert_eq!(
            start_error("[FEN \"B:W33:B1\"]\n*"),
            "tag FEN: White pieces: expected a square from 1 to 32, found \"33\""
        );
        assert_eq!(start_error("[SetUp \"1\"]\n*"), "tag SetUp: there is no tag FEN");
        assert_eq!(read("[GameType \"21,B,8,8\"]\n1. 11-15 *", Pdn::default()).len(), 1);
    }

    #[test]
    fn paths_are_written_short_or_full() {
        let start: Position = "W:W24:B10,11,19,20".parse().expect("a FEN");
        let mv = start.parse_move("24x6").expect("the only jump");
        let game = Transcript { plies: vec![Ply::new(mv)], ..Transcript::new(start) };
        assert!(write(&game, Pdn::default()).contains("1... 24x6 *"));
        assert!(write(&game, Pdn { paths: Paths::Full, ..Pdn::default() }).contains("1... 24x15x6 *"));
    }

    proptest! {
        #[test]
        fn reading_undoes_writing(start in scattered(), choices in playout(), winner in 0..4_usize, full: bool,
                                  starter_first: bool) {
            let rules = start.rules();
            let paths = if full { Paths::Full } else { Paths::Short };
            let results = if starter_first { ResultOrder::StarterFirst } else { ResultOrder::WhiteFirst };
            let format = Pdn { paths, results, rules };
            let mut game = Transcript::new(start.clone());
            let mut position = start;
            for mv in choices.play(&mut position) {
                game.plies.push(Ply::new(mv));
            }
            game.outcome =
                [None, Some(Outcome::Draw), Some(Outcome::Win(Color::White)), Some(Outcome::Win(Color::Black))][winner];
            let text = write(&game, format);
            let again = read(&text, format);
            prop_assert_eq!(again.len(), 1);
            prop_assert_eq!(&again[0].plies, &game.plies);
            prop_assert_eq!(&again[0].start, &game.start);
            prop_assert_eq!(again[0].outcome, game.outcome);
            prop_assert_eq!(write(&again[0], format), text);
        }
    }
}
