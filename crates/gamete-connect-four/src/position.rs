use gamete_game::{Color, Ending, Game, MoveError, Reason, split_mix};

pub(crate) const COLUMNS: u32 = 7;
pub(crate) const ROWS: u32 = 6;

/// Bits from one column to the next: one more than there are rows, and the topmost is no square, so that no line goes
/// over the edge.
const STRIDE: u32 = ROWS + 1;

/// The steps along a line: up, to the right, and to the right downwards and upwards.
pub(crate) const STEPS: [u32; 4] = [1, STRIDE, STRIDE - 1, STRIDE + 1];

/// The lowest squares of all columns.
const FLOOR: u64 = ((1 << (COLUMNS * STRIDE)) - 1) / ((1 << STRIDE) - 1);

/// All squares.
pub(crate) const BOARD: u64 = FLOOR * ((1 << ROWS) - 1);

/// The discs on the board, and whose turn it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Position {
    /// White's and Black's.
    pub(crate) discs: [u64; 2],
    pub(crate) turn: Color,
}

/// A column, which is a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Column(pub(crate) u8);

impl Column {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..COLUMNS as u8).map(Self)
    }

    /// The square in this column and a row, from 0 at the bottom.
    pub(crate) fn square(self, row: u32) -> u64 {
        1 << (u32::from(self.0) * STRIDE + row)
    }
}

impl Position {
    pub(crate) fn occupied(&self) -> u64 {
        self.discs[0] | self.discs[1]
    }

    pub(crate) fn disc_at(&self, column: Column, row: u32) -> Option<Color> {
        Color::ALL.into_iter().find(|&color| self.discs[color as usize] & column.square(row) != 0)
    }

    /// Where a disc comes to rest; no square if the column is full.
    pub(crate) fn landing(&self, column: Column) -> u64 {
        let squares = column.square(ROWS) - column.square(0);
        (self.occupied() & squares) + column.square(0)
    }

    pub(crate) fn has_four(&self, color: Color) -> bool {
        let discs = self.discs[color as usize];
        STEPS.into_iter().any(|step| {
            let pairs = discs & discs >> step;
            pairs & pairs >> (2 * step) != 0
        })
    }
}

impl Game for Position {
    type Move = Column;

    const NAME: &'static str = "connect-four";

    fn start() -> Self {
        Self { discs: [0, 0], turn: Color::White }
    }

    fn turn(&self) -> Color {
        self.turn
    }

    fn for_each_move(&self, f: impl FnMut(Column)) {
        if !self.has_four(!self.turn) {
            Column::all().filter(|&column| self.landing(column) & BOARD != 0).for_each(f);
        }
    }

    fn play(&mut self, mv: Column) {
        self.discs[self.turn as usize] |= self.landing(mv);
        self.turn = !self.turn;
    }

    fn key(&self) -> u64 {
        split_mix(split_mix(self.discs[0]) ^ (self.discs[1] << 1 | self.turn as u64))
    }

    fn ending(&self) -> Option<Ending> {
        let won = self.has_four(!self.turn).then_some(Ending::win(!self.turn, Reason::Connection));
        won.or((self.occupied() == BOARD).then_some(Ending::draw(Reason::FullBoard)))
    }

    fn move_number(&self) -> u32 {
        self.occupied().count_ones() / 2 + 1
    }

    fn flipped(&self) -> Self {
        Self { discs: [self.discs[1], self.discs[0]], turn: !self.turn }
    }

    fn parse_move(&self, text: &str) -> Result<Column, MoveError> {
        let column = match text.as_bytes() {
            [letter @ (b'a'..=b'g' | b'A'..=b'G')] => Column(letter.to_ascii_lowercase() - b'a'),
            [number @ b'1'..=b'7'] => Column(number - b'1'),
            _ => return Err(MoveError::Syntax),
        };
        if self.is_legal(column) { Ok(column) } else { Err(MoveError::Illegal) }
    }

    fn move_text(&self, mv: Column) -> String {
        char::from(b'a' + mv.0).to_string()
    }
}
