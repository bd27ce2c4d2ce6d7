//! Games as files to download.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use gamete_arena::Playable;
use gamete_game::{Transcript, TranscriptWriter};

/// A game as its files have it.
pub fn game_text<G: Playable>(game: &Transcript<G>) -> String {
    let mut writer = TranscriptWriter::new(Vec::new(), G::Format::default());
    writer.write(game).expect("room in memory");
    String::from_utf8_lossy(&writer.into_inner()).into_owned()
}

/// A text under a name, which browsers save and never show.
pub fn download(name: &str, text: String) -> Response {
    let plain =
        |letter: char| if letter.is_ascii_alphanumeric() || "._-".contains(letter) { letter } else { '-' };
    let name: String = name.chars().map(plain).collect();
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    (headers, text).into_response()
}

/// A text to be shown as it is.
pub fn plain(text: String) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}
