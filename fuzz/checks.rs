//! What must hold for any input: shared by the fuzz targets and by the test that runs without a fuzzer.

use gamete_checkers::Pdn;
use gamete_chess::{Epd, EpdReader, Pgn};
use gamete_game::{Format, Game, TranscriptReader, TranscriptWriter};

/// A FEN that is read is read again as the same position when written, and its moves can be played.
pub fn fen(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    position::<gamete_chess::Position>(&text);
    position::<gamete_checkers::Position>(&text);
}

fn position<G: Game>(text: &str) {
    let Ok(position) = text.parse::<G>() else { return };
    assert_eq!(position.to_string().parse::<G>().ok().as_ref(), Some(&position));
    assert_eq!(position.moves().len(), position.count_moves());
    for mv in position.moves() {
        assert!(position.is_legal(mv));
        assert_eq!(position.parse_move(&position.move_text(mv)), Ok(mv));
        let mut next = position.clone();
        next.play(mv);
        next.ending();
    }
}

/// Chess games that are read are read again with the same moves when written.
pub fn pgn(text: &[u8]) {
    transcripts(text, Pgn);
}

/// The same for checkers.
pub fn pdn(text: &[u8]) {
    transcripts(text, Pdn::default());
}

fn transcripts<F: Format + Copy>(text: &[u8], format: F) {
    let games: Vec<_> = TranscriptReader::new(text, format).filter_map(Result::ok).collect();
    let mut writer = TranscriptWriter::new(Vec::new(), format);
    for game in &games {
        writer.write(game).expect("a vector to write to");
    }
    let written = writer.into_inner();
    let again = TranscriptReader::new(written.as_slice(), format).map(|game| game.expect("our own game"));
    let again: Vec<_> = again.collect();
    assert_eq!(games.len(), again.len());
    for (one, two) in games.iter().zip(&again) {
        assert_eq!((&one.start, one.outcome), (&two.start, two.outcome));
        assert!(one.plies.iter().map(|ply| ply.mv).eq(two.plies.iter().map(|ply| ply.mv)));
    }
}

/// Lines that are read are read again as the same when written.
pub fn epd(text: &[u8]) {
    for epd in EpdReader::new(text).filter_map(Result::ok) {
        let again: Epd = epd.to_string().parse().expect("our own line");
        assert_eq!(again.position, epd.position);
        assert_eq!(again.to_string(), epd.to_string());
    }
}
