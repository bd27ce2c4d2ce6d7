//! What must hold in every position that play can reach, in chess and Chess960.

use std::collections::HashSet;

use gamete_chess::{CastlingStyle, Epd, Move, Pgn, Piece, Position, Square};
use gamete_game::{Game, Line, Ply, Transcript, TranscriptReader, TranscriptWriter};
use proptest::prelude::*;

/// A game of random moves from a random start, as long as it lasts.
fn random_line() -> impl Strategy<Value = Line<Position>> {
    let start = prop_oneof![Just(518), 0..960_u32];
    (start, proptest::collection::vec(any::<u16>(), 0..160)).prop_map(|(start, choices)| {
        let mut line = Line::new(Position::chess960_start(start));
        for choice in choices {
            let moves = line.position().moves();
            if line.ending().is_some() {
                break;
            }
            line.play(moves[usize::from(choice) % moves.len()]);
        }
        line
    })
}

fn random_position() -> impl Strategy<Value = Position> {
    random_line().prop_map(|line| line.position().clone())
}

fn all_moves() -> impl Iterator<Item = Move> {
    let promotions = [None, Some(Piece::Pawn), Some(Piece::King), Some(Piece::Knight), Some(Piece::Queen)];
    Square::ALL.into_iter().flat_map(move |from| {
        Square::ALL
            .into_iter()
            .flat_map(move |to| promotions.into_iter().map(move |promotion| Move { from, to, promotion }))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn parsing_undoes_display_for_fen(position in random_position()) {
        prop_assert_eq!(&position.to_string().parse::<Position>().unwrap(), &position);
        prop_assert_eq!(&format!("{position:#}").parse::<Position>().unwrap(), &position);
    }

    #[test]
    fn parsing_undoes_display_for_moves(position in random_position()) {
        let mut texts = HashSet::new();
        for mv in position.moves() {
            let san = position.move_text(mv);
            prop_assert_eq!(position.parse_move(&san), Ok(mv), "{}", &san);
            let chess960 = position.uci(mv, CastlingStyle::Chess960);
            prop_assert_eq!(position.parse_uci(&chess960), Ok(mv));
            prop_assert_eq!(position.parse_uci(&position.uci(mv, CastlingStyle::Standard)), Ok(mv));
            prop_assert!(texts.insert(san));
        }
    }

    #[test]
    fn parsing_undoes_display_for_epd(position in random_position()) {
        let epd = Epd::new(position);
        prop_assert_eq!(&epd.to_string().parse::<Epd>().unwrap(), &epd);
    }

    #[test]
    fn reading_undoes_writing_for_pgn(line in random_line(), comment in "[ -z|~]{0,200}", nag: u8) {
        let mut game = Transcript::new(line.start().clone());
        game.plies.extend(line.moves().map(Ply::new));
        game.outcome = line.ending().map(|ending| ending.outcome);
        if let Some(ply) = game.plies.last_mut() {
            ply.nags.push(nag);
            ply.comment = Some(comment.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|c| !c.is_empty());
        }
        game.tags.set("White", comment);

        let mut writer = TranscriptWriter::new(Vec::new(), Pgn);
        writer.write(&game).unwrap();
        writer.write(&game).unwrap();
        let text = writer.into_inner();
        let read: Vec<_> = TranscriptReader::new(text.as_slice(), Pgn).collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(read.len(), 2);
        prop_assert_eq!(&read[0], &read[1]);
        prop_assert_eq!(&read[0].plies, &game.plies);
        prop_assert_eq!(&read[0].start, &game.start);
        prop_assert_eq!(read[0].outcome, game.outcome);
        prop_assert_eq!(read[0].tags.get("White"), game.tags.get("White"));
    }

    #[test]
    fn the_key_kept_by_play_is_the_key_of_the_position(line in random_line()) {
        let recomputed: Position = format!("{:#}", line.position()).parse().unwrap();
        prop_assert_eq!(line.position().key(), recomputed.key());
    }

    #[test]
    fn a_flipped_position_has_the_flipped_moves(position in random_position()) {
        let flipped = position.flipped();
        prop_assert_eq!(&flipped.flipped(), &position);
        let flip = |mv: Move| Move { from: mv.from.flip_rank(), to: mv.to.flip_rank(), ..mv };
        let moves: HashSet<_> = position.moves().into_iter().map(flip).collect();
        prop_assert_eq!(moves, flipped.moves().into_iter().collect());
    }

    #[test]
    fn is_legal_agrees_with_the_move_list(position in random_position()) {
        let moves: HashSet<_> = position.moves().into_iter().collect();
        prop_assert_eq!(moves.len(), position.count_moves());
        for mv in all_moves() {
            prop_assert_eq!(position.is_legal(mv), moves.contains(&mv), "{} in {}", mv, &position);
        }
    }

    #[test]
    fn any_text_is_refused_or_read(text in ".{0,120}", bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = text.parse::<Position>();
        let _ = text.parse::<Epd>();
        let _ = Position::start().parse_move(&text);
        for game in TranscriptReader::new(bytes.as_slice(), Pgn) {
            let _ = game;
        }
    }

    #[test]
    fn damaged_fen_is_refused_or_read(position in random_position(), at: prop::sample::Index, byte in 32..127_u8) {
        let mut fen = position.to_string().into_bytes();
        let at = at.index(fen.len());
        fen[at] = byte;
        if let Ok(position) = String::from_utf8(fen).unwrap().parse::<Position>() {
            prop_assert_eq!(position.to_string().parse::<Position>().unwrap(), position);
        }
    }
}
