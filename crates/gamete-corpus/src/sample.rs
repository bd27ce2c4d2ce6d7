use gamete_game::{BoardGame, Color, MoveCode, Outcome};

/// A position to learn from, with what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample<G: BoardGame> {
    /// The position.
    pub position: G,
    /// The game that it is from, or the position of a suite, counted from 1.
    pub source: u32,
    /// What it is for.
    pub part: Part,
    /// The moves that an expert played, a mentor gives or a suite asks for; most often one.
    pub choices: Vec<G::Move>,
    /// Who won the game.
    pub outcome: Option<Outcome>,
    /// What a mentor says that it is worth to the side to move, in thousandths of a pawn.
    pub score: Option<i32>,
}

/// What a position is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// To learn from.
    Train,
    /// To see what was learned.
    Test,
}

/// The first byte of a record says what is in it.
mod flag {
    pub const TEST: u8 = 1;
    pub const SCORE: u8 = 2;
    pub const WHITE_WON: u8 = 4;
    pub const BLACK_WON: u8 = 8;
    pub const DRAWN: u8 = 16;
}

impl<G: BoardGame> Sample<G> {
    /// The sample as a record of a corpus: flags, source, position, choices and score.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let position = self.position.packed();
        let outcome = match self.outcome {
            None => 0,
            Some(Outcome::Draw) => flag::DRAWN,
            Some(Outcome::Win(Color::White)) => flag::WHITE_WON,
            Some(Outcome::Win(Color::Black)) => flag::BLACK_WON,
        };
        let test = if self.part == Part::Test { flag::TEST } else { 0 };
        let score = if self.score.is_some() { flag::SCORE } else { 0 };
        let mut bytes = vec![outcome | test | score];
        put_number(&mut bytes, self.source.into());
        put_number(&mut bytes, position.len() as u64);
        bytes.extend(position);
        put_number(&mut bytes, self.choices.len() as u64);
        bytes.extend(self.choices.iter().flat_map(|&mv| G::code(mv).bits().to_le_bytes()));
        bytes.extend(self.score.iter().flat_map(|score| score.to_le_bytes()));
        bytes
    }

    /// The sample of a record; none if it makes no sense.
    pub(crate) fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let &flags = bytes.split_off_first()?;
        let source = u32::try_from(take_number(bytes)?).ok()?;
        let length = usize::try_from(take_number(bytes)?).ok()?;
        let position = G::from_packed(bytes.split_off(..length)?)?;
        let mut choices = Vec::new();
        for _ in 0..take_number(bytes)? {
            let (code, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            choices.push(position.decode(MoveCode::new(u16::from_le_bytes(*code))?)?);
        }
        let score = match bytes {
            [] if flags & flag::SCORE == 0 => None,
            bytes if flags & flag::SCORE != 0 => Some(i32::from_le_bytes(<[u8; 4]>::try_from(*bytes).ok()?)),
            _ => return None,
        };
        let outcome = match flags & (flag::WHITE_WON | flag::BLACK_WON | flag::DRAWN) {
            0 => None,
            flag::WHITE_WON => Some(Outcome::Win(Color::White)),
            flag::BLACK_WON => Some(Outcome::Win(Color::Black)),
            flag::DRAWN => Some(Outcome::Draw),
            _ => return None,
        };
        let part = if flags & flag::TEST == 0 { Part::Train } else { Part::Test };
        Some(Self { position, source, part, choices, outcome, score })
    }
}

/// Whether a record is of a sample to see what was learned.
pub(crate) fn is_for_testing(record: &[u8]) -> bool {
    record.first().is_some_and(|flags| flags & flag::TEST != 0)
}

/// Appends a number in groups of seven bits, the lowest first; all but the last have the highest bit set.
pub(crate) fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes such a number from the front.
pub(crate) fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let &byte = bytes.split_off_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), (1 << 62) - 1] {
            let mut bytes = Vec::new();
            put_number(&mut bytes, number);
            let mut rest = bytes.as_slice();
            assert_eq!((take_number(&mut rest), rest), (Some(number), [].as_slice()));
            assert_eq!(take_number(&mut &bytes[..bytes.len() - 1]), None);
        }
        assert_eq!(take_number(&mut [0xff; 20].as_slice()), None);
    }

    #[test]
    fn samples_of_any_game_are_read_as_they_are_written() {
        fn check<G: BoardGame>() {
            let position = G::start();
            for (index, &mv) in position.moves().iter().enumerate() {
                let sample = Sample {
                    position: position.clone(),
                    source: index as u32 * 1000,
                    part: if index % 2 == 0 { Part::Train } else { Part::Test },
                    choices: if index == 0 { Vec::new() } else { vec![mv, position.moves()[0]] },
                    outcome: [None, Some(Outcome::Draw), Some(Outcome::Win(Color::Black))][index % 3],
                    score: (index % 2 == 1).then_some(-123_456),
                };
                let bytes = sample.to_bytes();
                assert_eq!(Sample::from_bytes(&bytes), Some(sample));
                for end in 0..bytes.len() {
                    assert_eq!(Sample::<G>::from_bytes(&bytes[..end]), None, "{end} of {bytes:?}");
                }
            }
        }
        check::<gamete_chess::Position>();
        check::<gamete_checkers::Position>();
    }
}
