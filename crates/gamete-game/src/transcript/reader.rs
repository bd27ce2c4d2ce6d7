use std::io::{self, Read};

use super::lexer::{LexError, Lexer, Token};
use super::{Format, Ply, Tags, Transcript};
use crate::{Game, MoveError, Outcome};

/// More plies than any game that ends can have; a bound on the memory a broken file can take.
const MAX_PLIES: usize = 20_000;
const MAX_TAGS: usize = 1_000;

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
    variations: u64,
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
    /// The text ends where a move was expected to be complete, or in the middle of a variation.
    #[error("the game is cut off{0}")]
    CutOff(String),
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
            variations: 0,
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
                let line = self.lexer.token_line();
                match kind {
                    ReadErrorKind::Io(_) => self.broken = true,
                    ReadErrorKind::CutOff(_) => {}
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
        let result = self.read_moves(&mut game, start)?;
        game.outcome = self.format.outcome(&game.tags, result);
        Ok(Some(game))
    }

    fn read_tags(&mut self) -> Result<Tags, ReadErrorKind> {
        let mut tags = Tags::default();
        while let Some(token) = self.next_token()? {
            // A tag for the second time is the next game's: this one has no moves.
            if token != Token::Tag || tags.get(self.lexer.name()).is_some() {
                self.pushed_back = Some(token);
                break;
            }
            if tags.iter().len() == MAX_TAGS {
                return Err(ReadErrorKind::TooLarge(format!("{MAX_TAGS} tags")));
            }
            tags.set(self.lexer.name(), self.lexer.text());
        }
        Ok(tags)
    }

    /// Reads up to the result, the next game, or the end of the text.
    fn read_moves(
        &mut self,
        game: &mut Transcript<F::Game>,
        mut position: F::Game,
    ) -> Result<Option<Option<Outcome>>, ReadErrorKind> {
        while let Some(token) = self.next_token()? {
            match token {
                Token::Tag => {
                    self.pushed_back = Some(token);
                    return Ok(None);
                }
                Token::Number(1) if game.plies.len() > 1 && self.lexer.after_blank_line() => {
                    self.pushed_back = Some(token);
                    return Ok(None);
                }
                Token::Number(_) => {}
                Token::Comment => {
                    let comment = match game.plies.last_mut() {
                        Some(ply) => &mut ply.comment,
                        None => &mut game.comment,
                    };
                    append(comment, self.lexer.text());
                }
                Token::Nag(nag) => {
                    if let Some(ply) = game.plies.last_mut() {
                        ply.nags.push(nag);
                    }
                }
                Token::Open => self.skip_variation()?,
                Token::Close => return Err(ReadErrorKind::Unbalanced),
                Token::Word => {
                    let word = self.lexer.text();
                    if let Some(result) = self.format.parse_result(word) {
                        return Ok(Some(result));
                    }
                    match self.format.parse_move(&position, word) {
                        Ok(mv) => {
                            position.play(mv);
                            game.plies.push(Ply::new(mv));
                        }
                        Err(reason) => return Err(self.bad_move(&position, reason)),
                    }
                    if game.plies.len() > MAX_PLIES {
                        return Err(ReadErrorKind::TooLarge(format!("{MAX_PLIES} plies")));
                    }
                }
            }
        }
        Ok(None)
    }

    fn bad_move(&mut self, position: &F::Game, reason: MoveError) -> ReadErrorKind {
        let word = self.lexer.text().to_owned();
        let number = position.move_number();
        let dots = if position.turn() == F::Game::start().turn() { "." } else { "..." };
        // Half a word at the very end of the text is not a wrong move but a lost end.
        if reason == MoveError::Syntax && matches!(self.lexer.next(), Ok(None)) {
            return ReadErrorKind::CutOff(format!(" in the middle of a move: {number}{dots} {word:?}"));
        }
        ReadErrorKind::Move { word, number, dots, reason }
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
