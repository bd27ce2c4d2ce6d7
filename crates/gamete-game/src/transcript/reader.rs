use std::io::{self, Read};

use super::lexer::{LexError, Lexer, Token};
use super::{Format, Ply, Tags, Transcript};
use crate::{Game, MoveError, Outcome};

/// Longer than any move, in bytes, however it is cut into words.
const MAX_MOVE: usize = 255;
/// More plies than any game that ends can have; a bound on the memory a broken file can take.
const MAX_PLIES: usize = 20_000;
const MAX_TAGS: usize = 1_000;
/// All tags of a game together, in bytes.
const MAX_TAG_BYTES: usize = 4 << 20;
/// All comments of a game together, in bytes.
const MAX_COMMENT_BYTES: usize = 16 << 20;
/// All glyphs of a game together.
const MAX_NAGS: usize = 1 << 20;

/// Reads the games of a text one by one, in memory that does not grow with the text.
///
/// A game that does not replay gives an error, and the reader goes on with the next one.
pub struct TranscriptReader<R, F> {
    lexer: Lexer<R>,
    format: F,
    pushed_back: Option<Token>,
    in_tags: bool,
    /// What ended the reading in the middle of a game that was given up anyway.
    failure: Option<io::Error>,
    broken: bool,
    games: u64,
    line: u64,
    /// Where the game went wrong, if that is not where the last token stands.
    error_line: Option<u64>,
    variations: u64,
    misspelt: u64,
    null_moves: u64,
}

/// A game that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("game {game}, line {line}: {kind}")]
pub struct ReadError {
    /// Which game of the text, from 1.
    pub game: u64,
    /// Which line of the text, from 1.
    pub line: u64,
    /// What is wrong there.
    pub kind: ReadErrorKind,
}

/// What is wrong with a game.
#[derive(Debug, thiserror::Error)]
pub enum ReadErrorKind {
    /// The text could not be read.
    #[error("{0}")]
    Io(io::Error),
    /// The text cannot be cut into tags, moves and comments.
    #[error("{0}")]
    Text(String),
    /// The tags ask for a start that there is not.
    #[error("{0}")]
    Start(String),
    /// A move that cannot be played.
    #[error("{reason}: {number}{dots} {word:?}")]
    Move {
        /// The word that should have been a move.
        word: String,
        /// The move number at which it stands.
        number: u32,
        /// `.` for the side that starts a move, `...` for the other.
        dots: &'static str,
        /// Why it is not a move.
        reason: MoveError,
    },
    /// The turn is passed, and the game goes on.
    #[error("a null move, after which the game cannot be replayed: {number}{dots} {word:?}")]
    NullMove {
        /// How the null move is written.
        word: String,
        /// The move number at which it stands.
        number: u32,
        /// `.` for the side that starts a move, `...` for the other.
        dots: &'static str,
    },
    /// The text ends where a move was expected to be complete, or in the middle of a variation.
    #[error("the game is cut off{0}")]
    CutOff(String),
    /// A result, a number or a remark that belongs to no game.
    #[error("no game: there are neither tags nor moves")]
    Nothing,
    /// A `)` without its `(`.
    #[error("a ')' without a '('")]
    Unbalanced,
    /// More moves or tags than a game can have.
    #[error("more than {0}")]
    TooLarge(String),
}

impl<R: Read, F: Format> TranscriptReader<R, F> {
    /// Reads the games of `reader`, which need not be buffered.
    pub fn new(reader: R, format: F) -> Self {
        let lexer = Lexer::new(reader);
        Self {
            lexer,
            format,
            pushed_back: None,
            in_tags: false,
            failure: None,
            broken: false,
            games: 0,
            line: 1,
            error_line: None,
            variations: 0,
            misspelt: 0,
            null_moves: 0,
        }
    }

    /// How many games have been met so far, read or not.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// How many side variations have been passed over so far.
    pub fn variations(&self) -> u64 {
        self.variations
    }

    /// How many moves of games that were read are spelled otherwise than the format has it, though the squares leave no
    /// doubt: in PDN `10x14` for a step and `9-18` for a jump.
    pub fn misspelt(&self) -> u64 {
        self.misspelt
    }

    /// How many null moves at the end of a game have been left out so far.
    pub fn null_moves(&self) -> u64 {
        self.null_moves
    }

    /// The line on which the last game started.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The next game, or `None` at the end of the text or of what could be read of it.
    pub fn next_game(&mut self) -> Option<Result<Transcript<F::Game>, ReadError>> {
        if let Some(error) = self.failure.take() {
            self.broken = true;
            let (game, line) = (self.games, self.lexer.token_line());
            return Some(Err(ReadError { game, line, kind: ReadErrorKind::Io(error) }));
        }
        if self.broken {
            return None;
        }
        match self.read_game() {
            Ok(None) => None,
            Ok(Some(game)) => Some(Ok(game)),
            Err(kind) => {
                let line = self.error_line.take().unwrap_or(self.lexer.token_line());
                match kind {
                    ReadErrorKind::Io(_) => self.broken = true,
                    ReadErrorKind::CutOff(_) | ReadErrorKind::Nothing => {}
                    _ => self.skip_game(),
                }
                Some(Err(ReadError { game: self.games, line, kind }))
            }
        }
    }

    fn read_game(&mut self) -> Result<Option<Transcript<F::Game>>, ReadErrorKind> {
        self.in_tags = true;
        // Remarks between games belong to none of them.
        let first = loop {
            match self.next_token() {
                Ok(None) => return Ok(None),
                Ok(Some(Token::Comment)) => {}
                first => break first,
            }
        };
        self.games += 1;
        self.line = self.lexer.token_line();
        self.pushed_back = first?;

        let tags = self.read_tags()?;
        self.in_tags = false;
        let start = self.format.start(&tags).map_err(ReadErrorKind::Start)?;
        let mut game = Transcript { tags, ..Transcript::new(start.clone()) };
        let null_moves = self.null_moves;
        let result = self.read_moves(&mut game, start)?;
        let has_moves = !game.plies.is_empty() || self.null_moves > null_moves;
        if game.tags.iter().len() == 0 && !has_moves {
            return Err(ReadErrorKind::Nothing);
        }
        game.outcome = self.format.outcome(&game.tags, result);
        Ok(Some(game))
    }

    fn read_tags(&mut self) -> Result<Tags, ReadErrorKind> {
        let mut tags = Tags::default();
        let mut bytes = 0;
        while let Some(token) = self.next_token()? {
            let is_known = token == Token::Tag && tags.get(self.lexer.name()).is_some();
            // A tag for the second time behind an empty line is the next game's: this one has no moves.
            if token != Token::Tag || is_known && self.lexer.after_blank_line() {
                self.pushed_back = Some(token);
                break;
            }
            if tags.iter().len() == MAX_TAGS {
                return Err(ReadErrorKind::TooLarge(format!("{MAX_TAGS} tags")));
            }
            bytes += self.lexer.name().len() + self.lexer.text().len();
            if bytes > MAX_TAG_BYTES {
                return Err(ReadErrorKind::TooLarge(format!("{} MiB of tags", MAX_TAG_BYTES >> 20)));
            }
            if !is_known {
                tags.set(self.lexer.name(), self.lexer.text());
            }
        }
        Ok(tags)
    }

    /// Reads up to the result, the next game, or the end of the text.
    fn read_moves(
        &mut self,
        game: &mut Transcript<F::Game>,
        mut position: F::Game,
    ) -> Result<Option<Option<Outcome>>, ReadErrorKind> {
        let (mut comment_bytes, mut nags, mut misspelt) = (0, 0, 0);
        let mut null_move = None;
        // A number without a full stop: a move number, or a square with a space behind it.
        let mut bare_number = None;
        let result = loop {
            let Some(token) = self.next_token()? else { break None };
            let number = bare_number.take();
            match token {
                Token::Tag => {
                    self.pushed_back = Some(token);
                    break None;
                }
                Token::Number(1) if game.plies.len() > 1 && self.lexer.after_blank_line() => {
                    self.pushed_back = Some(token);
                    break None;
                }
                Token::Number(_) if !self.lexer.has_dot() => {
                    bare_number = Some(self.lexer.digits().to_owned());
                }
                Token::Number(_) => {}
                Token::Comment => {
                    comment_bytes += self.lexer.text().len();
                    if comment_bytes > MAX_COMMENT_BYTES {
                        let size = MAX_COMMENT_BYTES >> 20;
                        return Err(ReadErrorKind::TooLarge(format!("{size} MiB of comments")));
                    }
                    let comment = match game.plies.last_mut() {
                        Some(ply) => &mut ply.comment,
                        None => &mut game.comment,
                    };
                    append(comment, self.lexer.text());
                }
                Token::Nag(_) | Token::Open => {
                    let Some(nag) = self.read_nag(token)? else { continue };
                    nags += 1;
                    if nags > MAX_NAGS {
                        return Err(ReadErrorKind::TooLarge(format!("{MAX_NAGS} glyphs")));
                    }
                    if let Some(ply) = game.plies.last_mut() {
                        ply.nags.push(nag);
                    }
                }
                Token::Close => return Err(ReadErrorKind::Unbalanced),
                Token::Word if self.is_star_behind_move() => {
                    if !self.goes_on(game)? {
                        break Some(None);
                    }
                }
                Token::Word => {
                    let word = self.lexer.text();
                    if let Some(result) = self.format.parse_result(word) {
                        break Some(result);
                    }
                    if let Some((error, line)) = null_move.take() {
                        self.error_line = Some(line);
                        return Err(error);
                    }
                    let spaced = number.filter(|number| self.format.may_join(number, word));
                    let spaced = spaced.map(|number| format!("{number} {word}"));
                    let word = spaced.as_deref().unwrap_or(word);
                    let mv = match self.format.parse_move(&position, word) {
                        Ok(mv) => {
                            misspelt += u64::from(self.format.is_misspelt(mv, word));
                            mv
                        }
                        Err(_) if self.format.is_null_move(word) => {
                            let (number, dots) = place(&position);
                            let error = ReadErrorKind::NullMove { word: word.to_owned(), number, dots };
                            null_move = Some((error, self.lexer.token_line()));
                            continue;
                        }
                        Err(MoveError::Syntax) if self.describes_last_move(game, word) => continue,
                        Err(reason) => {
                            let word = word.to_owned();
                            self.read_on(&position, word, reason, &mut misspelt)?
                        }
                    };
                    position.play(mv);
                    game.plies.push(Ply::new(mv));
                    if game.plies.len() > MAX_PLIES {
                        return Err(ReadErrorKind::TooLarge(format!("{MAX_PLIES} plies")));
                    }
                }
            }
        };
        self.misspelt += misspelt;
        self.null_moves += u64::from(null_move.is_some());
        Ok(result)
    }

    /// Whether the last word is a star that stands directly behind a move, and so may praise it or end the game.
    fn is_star_behind_move(&self) -> bool {
        self.lexer.text() == "*" && self.lexer.is_glued() && self.format.has_starred_moves()
    }

    /// Whether there is more of this game.
    fn goes_on(&mut self, game: &Transcript<F::Game>) -> Result<bool, ReadErrorKind> {
        let next = self.next_token()?;
        self.pushed_back = next;
        Ok(match next {
            None | Some(Token::Tag) => false,
            Some(Token::Number(1)) if game.plies.len() > 1 => false,
            Some(_) => !self.lexer.after_blank_line(),
        })
    }

    /// Looks for the rest of a move in the words behind one that is none by itself.
    fn read_on(
        &mut self,
        position: &F::Game,
        mut word: String,
        mut reason: MoveError,
        misspelt: &mut u64,
    ) -> Result<<F::Game as Game>::Move, ReadErrorKind> {
        self.error_line = Some(self.lexer.token_line());
        let (number, dots) = place(position);
        loop {
            let next = self.lexer.next();
            let part = match next {
                Ok(Some(Token::Word)) => self.lexer.text(),
                Ok(Some(Token::Number(_))) if !self.lexer.has_dot() => self.lexer.digits(),
                // Half a word at the very end of the text is not a wrong move but a lost end.
                Ok(None) if reason == MoveError::Syntax => {
                    return Err(ReadErrorKind::CutOff(format!(
                        " in the middle of a move: {number}{dots} {word:?}"
                    )));
                }
                _ => "",
            };
            if word.len() > MAX_MOVE || !self.format.may_join(&word, part) {
                match next {
                    Ok(token) => self.pushed_back = token,
                    Err(LexError::Io(error)) => self.failure = Some(error),
                    Err(_) => {}
                }
                return Err(ReadErrorKind::Move { word, number, dots, reason });
            }
            word = format!("{word} {part}");
            match self.format.parse_move(position, &word) {
                Ok(mv) => {
                    self.error_line = None;
                    *misspelt += u64::from(self.format.is_misspelt(mv, &word));
                    return Ok(mv);
                }
                Err(error) => reason = error,
            }
        }
    }

    /// Whether a word that is no move says something of the last one.
    fn describes_last_move(&self, game: &Transcript<F::Game>, word: &str) -> bool {
        let Some((last, earlier)) = game.plies.split_last() else { return false };
        let mut before = game.start.clone();
        earlier.iter().for_each(|ply| before.play(ply.mv));
        self.format.describes(&before, last.mv, word)
    }

    /// A glyph, which may stand in parentheses; side variations are passed over.
    fn read_nag(&mut self, token: Token) -> Result<Option<u8>, ReadErrorKind> {
        if let Token::Nag(nag) = token {
            return Ok(Some(nag));
        }
        let mut next = self.next_token()?;
        if let Some(Token::Nag(nag)) = next {
            next = self.next_token()?;
            if next == Some(Token::Close) {
                return Ok(Some(nag));
            }
        }
        self.pushed_back = next;
        self.skip_variation()?;
        Ok(None)
    }

    fn skip_variation(&mut self) -> Result<(), ReadErrorKind> {
        self.variations += 1;
        let mut depth = 1_u32;
        while depth > 0 {
            match self.next_token()? {
                Some(Token::Open) => depth += 1,
                Some(Token::Close) => depth -= 1,
                Some(Token::Tag) => {
                    self.pushed_back = Some(Token::Tag);
                    return Err(ReadErrorKind::CutOff(" in the middle of a variation".into()));
                }
                Some(_) => {}
                None => {
                    return Err(ReadErrorKind::CutOff(" in the middle of a variation".into()));
                }
            }
        }
        Ok(())
    }

    /// Goes to the end of a game that is given up.
    fn skip_game(&mut self) {
        let mut depth = 0_u32;
        loop {
            match self.next_token() {
                Ok(None) => return,
                Err(ReadErrorKind::Io(error)) => {
                    self.failure = Some(error);
                    return;
                }
                Ok(Some(Token::Tag)) if !self.in_tags => {
                    self.pushed_back = Some(Token::Tag);
                    return;
                }
                Ok(Some(Token::Tag)) | Err(_) => continue,
                Ok(Some(Token::Open)) => depth += 1,
                Ok(Some(Token::Close)) => depth = depth.saturating_sub(1),
                Ok(Some(Token::Word))
                    if depth == 0 && self.format.parse_result(self.lexer.text()).is_some() =>
                {
                    return;
                }
                Ok(Some(_)) => {}
            }
            self.in_tags = false;
        }
    }

    fn next_token(&mut self) -> Result<Option<Token>, ReadErrorKind> {
        if let Some(token) = self.pushed_back.take() {
            return Ok(Some(token));
        }
        self.lexer.next().map_err(|error| match error {
            LexError::Io(error) => ReadErrorKind::Io(error),
            error => ReadErrorKind::Text(error.to_string()),
        })
    }
}

impl<R: Read, F: Format> Iterator for TranscriptReader<R, F> {
    type Item = Result<Transcript<F::Game>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_game()
    }
}

/// The number of the move to come, and the dots behind it.
fn place<G: Game>(position: &G) -> (u32, &'static str) {
    let dots = if position.turn() == G::start().turn() { "." } else { "..." };
    (position.move_number(), dots)
}

fn append(comment: &mut Option<String>, text: &str) {
    match comment {
        Some(comment) if !text.is_empty() => {
            comment.push(' ');
            comment.push_str(text);
        }
        Some(_) => {}
        None => *comment = (!text.is_empty()).then(|| text.to_owned()),
    }
}
