use gamete_game::{Format, Game, Tags, Transcript};

use crate::{Move, Piece, Position};

/// Portable Game Notation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pgn;

impl Format for Pgn {
    type Game = Position;

    fn start(&self, tags: &Tags) -> Result<Position, String> {
        if let Some(variant) = tags.get("Variant").filter(|variant| !is_chess(variant)) {
            return Err(format!("the Variant tag says {variant:?}; only chess and Chess960 can be read"));
        }
        tags.find("FEN").map_or_else(
            || Ok(Position::start()),
            |fen| fen.parse().map_err(|error| format!("the FEN tag is wrong: {error}")),
        )
    }

    /// `e.p.` behind an en passant capture, with a space before it.
    fn describes(&self, before: &Position, mv: Move, word: &str) -> bool {
        let is_note = matches!(word.trim_end_matches(['+', '#']), "e.p." | "e.p" | "ep" | "ep.");
        let is_pawn = before.board().piece_on(mv.from) == Some(Piece::Pawn);
        is_note && is_pawn && before.en_passant() == Some(mv.to)
    }

    fn is_null_move(&self, word: &str) -> bool {
        matches!(word, "--" | "Z0" | "@@@@" | "null" | "pass")
    }

    fn tags(&self, game: &Transcript<Position>) -> Tags {
        let mut tags = game.tags.clone();
        tags.set("Result", self.result_text(game.outcome));
        tags.remove("SetUp");
        tags.remove("FEN");
        if game.start != Position::start() {
            tags.set("SetUp", "1");
            tags.set("FEN", game.start.to_string());
        }
        if game.start.is_chess960() {
            tags.set("Variant", "Chess960");
        }
        if tags.get("PlyCount").is_some() {
            tags.set("PlyCount", game.plies.len().to_string());
        }
        tags
    }
}

fn is_chess(variant: &str) -> bool {
    const NAMES: [&str; 9] =
        ["", "?", "chess", "normal", "standard", "fromposition", "chess960", "fischerandom", "fischerrandom"];
    let folded: String = variant.chars().filter(|c| c.is_alphanumeric()).collect();
    NAMES.contains(&folded.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use gamete_game::{TranscriptReader, TranscriptWriter};

    use super::*;

    /// Each game as its moves and result, or as the error that it gave.
    fn read(text: &str) -> Vec<String> {
        TranscriptReader::new(text.as_bytes(), Pgn)
            .map(|game| match game {
                Err(error) => error.to_string(),
                Ok(game) => {
                    let mut position = game.start.clone();
                    let mut words = Vec::new();
                    for ply in &game.plies {
                        words.push(position.move_text(ply.mv));
                        position.play(ply.mv);
                    }
                    words.push(Pgn.result_text(game.outcome).to_owned());
                    words.join(" ")
                }
            })
            .collect()
    }

    fn rewrite(text: &str) -> String {
        let mut writer = TranscriptWriter::new(Vec::new(), Pgn);
        for game in TranscriptReader::new(text.as_bytes(), Pgn) {
            writer.write(&game.expect("a good game")).expect("a vector to write to");
        }
        String::from_utf8(writer.into_inner()).expect("text")
    }

    #[test]
    fn games_are_told_apart_with_and_without_tags_and_results() {
        assert_eq!(read("1. e4 e5 1-0 1. d4 d5 0-1"), ["e4 e5 1-0", "d4 d5 0-1"]);
        assert_eq!(read("1. e4 e5\n2. Nf3\n\n1. d4 d5\n"), ["e4 e5 Nf3 *", "d4 d5 *"]);
        assert_eq!(
            read(
                "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4\n\n[Event \"b\"]\n\n*\n\n[Event \"c\"]\n\n[Event \"d\"]\n"
            ),
            ["e4 1-0", "*", "*", "*"]
        );
        assert_eq!(read("\n\n  \n"), [""; 0]);
    }

    #[test]
    fn remarks_variations_and_glyphs_do_not_disturb_the_moves() {
        let text = "[Event \"x\"]\n\n{before} 1. e4! $14 {after (not a variation} (1. d4 d5 (1... Nf6 2. c4 {)}) 2. c4)\n\
            % of some other program\n1... e5 ; to the end 2. a4\n2. Nf3 1/2-1/2 {behind}\n";
        assert_eq!(read(text), ["e4 e5 Nf3 1/2-1/2"]);
    }

    #[test]
    fn starts_from_a_fen_and_in_chess960() {
        let text = "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 40\"]\n\n40. O-O Ke7 *\n\n[Variant \"Chess960\"]\n\
            [FEN \"nrkbqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRKBQRBN w KQkq - 0 1\"]\n\n1. Nb3 *\n";
        assert_eq!(read(text), ["O-O Ke7 *", "Nb3 *"]);
        assert!(rewrite(text).contains("[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 40\"]\n\n40. O-O Ke7 *\n"));
        assert!(rewrite(text).contains("[Variant \"Chess960\"]"));
        assert_eq!(
            read("[Variant \"Atomic\"]\n\n1. e4 *"),
            ["game 1, line 3: the Variant tag says \"Atomic\"; only chess and Chess960 can be read"]
        );
    }

    #[test]
    fn a_game_that_does_not_replay_is_named_and_the_next_one_read() {
        let text = "[Event \"a\"]\n\n1. e4 e5\n2. Ke3 Nc6 (2... d6 1-0) {1-0} 3. d4 1-0\n\n[Event \"b\"]\n\n1. d4 *\n";
        assert_eq!(read(text), ["game 1, line 4: illegal move: 2. \"Ke3\"", "d4 *"]);
        assert_eq!(read("1. e4 zz e5 1-0 1. d4 *"), ["game 1, line 1: not a move: 1... \"zz\"", "d4 *"]);
        assert_eq!(read("1. e4 zz\n1-0\n1. d4 *"), ["game 1, line 1: not a move: 1... \"zz\"", "d4 *"]);
        assert_eq!(read("1. e4 e5) 1-0"), ["game 1, line 1: a ')' without a '('"]);
        assert_eq!(read("1. e4 \0 1-0"), ["game 1, line 1: a NUL byte"]);
        assert_eq!(
            read("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *\n\n1. e4 *"),
            ["game 1, line 3: the FEN tag is wrong: White has 0 kings instead of 1", "e4 *"]
        );
        assert_eq!(
            read("[Event \"a\n[Site \"b\"]\n\n1. e4 *\n\n[Event \"c\"]\n\n1. d4 *"),
            ["game 1, line 1: a tag that is not of the form [Name \"value\"]", "d4 *"]
        );
    }

    #[test]
    fn en_passant_may_be_spelled_out() {
        for note in ["", "e.p.", " e.p.", " ep", "ep", " e.p"] {
            let text = format!("1. e4 a6 2. e5 d5 3. exd6{note} cxd6 *");
            assert_eq!(read(&text), ["e4 a6 e5 d5 exd6 cxd6 *"], "{note}");
        }
        assert_eq!(
            read("1. e4 d5 2. exd5 e.p. Qxd5 *"),
            ["game 1, line 1: not a move: 2... \"e.p.\""],
            "an ordinary capture"
        );
        let check = "[FEN \"3k4/8/8/3pP3/8/8/8/4K3 w - d6 0 2\"]\n\n2. exd6 e.p. Ke8 3. d7+ 1-0";
        assert_eq!(read(check), ["exd6 Ke8 d7+ 1-0"]);
    }

    #[test]
    fn a_null_move_ends_what_can_be_replayed() {
        let text = "[Event \"a\"]\n\n1. e4 e5\n2. -- {a pass} Nc6\n3. Nf3 1-0\n\n[Event \"b\"]\n\n1. d4 *\n";
        assert_eq!(
            read(text),
            ["game 1, line 4: a null move, after which the game cannot be replayed: 2. \"--\"", "d4 *"]
        );
        assert_eq!(read("1. e4 Z0 2. d4 *")[0].split(": ").last(), Some("1... \"Z0\""));
        // Behind the last move nothing is lost, nor in a variation, which is passed over.
        assert_eq!(read("1. -- 1-0\n\n1. e4 (1. -- e5) e5 2. -- {resigns} 0-1"), ["1-0", "e4 e5 0-1"]);
    }

    #[test]
    fn tags_that_are_said_twice_count_once() {
        let text =
            "[Event \"a\"]\n[Event \"a remark\"]\n[Fen \"4k3/8/8/8/8/8/8/4K2R w K - 0 40\"]\n\n40. O-O *\n";
        assert_eq!(read(text), ["O-O *"]);
        let again = rewrite(text);
        assert!(again.contains("[Event \"a\"]") && again.matches("4k3/8").count() == 1, "{again}");
    }

    #[test]
    fn what_a_game_says_besides_its_moves_is_bounded() {
        let megabyte = format!("{{{}}} ", "x".repeat(1_000_000));
        let text = format!("1. e4 {} e5 *\n\n1. d4 *", megabyte.repeat(17));
        assert_eq!(read(&text), ["game 1, line 1: more than 16 MiB of comments", "d4 *"]);
        let text = format!("1. e4 {} e5 *\n\n1. d4 *", "$1 ".repeat(1_100_000));
        assert_eq!(read(&text), ["game 1, line 1: more than 1048576 glyphs", "d4 *"]);
        let tags: String = (0..80).map(|n| format!("[T{n} \"{}\"]\n", "x".repeat(60_000))).collect();
        let error = &read(&format!("{tags}\n1. e4 *\n\n[Event \"b\"]\n\n1. d4 *"));
        assert_eq!(error, &["game 1, line 70: more than 4 MiB of tags", "d4 *"]);
    }

    #[test]
    fn a_game_that_is_cut_off_is_not_taken_for_a_whole_one() {
        assert_eq!(
            read("1. e4 e5 2. Nf"),
            ["game 1, line 1: the game is cut off in the middle of a move: 2. \"Nf\""]
        );
        assert_eq!(
            read("1. e4 e5 {and so"),
            ["game 1, line 1: the comment that starts here is never closed"]
        );
        assert_eq!(
            read("1. e4 e5 (2. d4"),
            ["game 1, line 1: the game is cut off in the middle of a variation"]
        );
    }

    #[test]
    fn the_seven_tags_come_first_and_lines_stay_within_80_columns() {
        let long = "a remark of many words ".repeat(20);
        let text = rewrite(&format!(
            "[ECO \"B00\"]\n[Black \"B \\\"x\\\"\"]\n\n1. e4 {{{long}}} 1... e5 $1 2. Nf3 1-0"
        ));
        let (tags, moves) = text.split_once("\n\n").unwrap();
        assert_eq!(
            tags,
            "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n\
             [Black \"B \\\"x\\\"\"]\n[Result \"1-0\"]\n[ECO \"B00\"]"
        );
        assert!(moves.lines().all(|line| line.len() <= 80));
        assert!(
            moves.starts_with("1. e4 {a remark")
                && moves.replace('\n', " ").contains("words} 1... e5 $1 2. Nf3 1-0")
        );
        assert_eq!(rewrite(&text), text);
    }
}
