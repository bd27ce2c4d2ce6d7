use crate::Color;

/// A position as data for whoever draws it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagram {
    /// The squares in rows from the top, as White sees them. All rows have the same length.
    pub squares: Vec<Vec<DiagramSquare>>,
    /// What stands beside the rows, from the top; empty if nothing does.
    pub row_labels: Vec<String>,
    /// What stands under the columns, from the left; empty if nothing does.
    pub column_labels: Vec<String>,
    /// Whether Black sits opposite, and so sees it turned by half a circle.
    pub turns: bool,
}

/// A square of a [`Diagram`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiagramSquare {
    /// Whether it has the darker of two colours.
    pub dark: bool,
    /// The number by which players call it, on boards that show numbers.
    pub number: Option<u32>,
    /// What stands on it.
    pub piece: Option<DiagramPiece>,
}

/// A piece on a [`Diagram`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiagramPiece {
    /// Whose it is.
    pub color: Color,
    /// A letter for it, another one for each colour.
    pub letter: char,
    /// The symbol that Unicode has for it.
    pub symbol: char,
    /// Its picture, whoever owns it: `p`, `n`, `b`, `r`, `q` and `k` are the pieces of chess, `o` is a disc and `d` two
    /// of them on one another. Any other lower-case letter is drawn as it is, on a disc.
    pub picture: char,
}

impl DiagramPiece {
    /// A disc, as many games have them and nothing else.
    pub const fn disc(color: Color, letter: char) -> Self {
        let symbol = match color {
            Color::White => '○',
            Color::Black => '●',
        };
        Self { color, letter, symbol, picture: 'o' }
    }
}

impl Diagram {
    /// A board of one colour without labels, with the pieces that `piece` tells by row and column.
    pub fn plain(rows: usize, columns: usize, piece: impl Fn(usize, usize) -> Option<DiagramPiece>) -> Self {
        let square = |row, column| DiagramSquare { dark: true, number: None, piece: piece(row, column) };
        let row = |row| (0..columns).map(|column| square(row, column)).collect();
        let squares = (0..rows).map(row).collect();
        Self { squares, row_labels: Vec::new(), column_labels: Vec::new(), turns: true }
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.squares.first().map_or(0, Vec::len)
    }

    /// All squares, row by row.
    pub fn iter(&self) -> impl Iterator<Item = &DiagramSquare> {
        self.squares.iter().flatten()
    }

    /// The squares on which another has other pieces, as rows and columns.
    pub fn differences(&self, other: &Self) -> Vec<(usize, usize)> {
        let rows = self.squares.iter().zip(&other.squares).enumerate();
        rows.flat_map(|(row, (own, others))| {
            let pairs = own.iter().zip(others).enumerate();
            let changed = pairs.filter(|(_, (own, other))| own.piece != other.piece);
            changed.map(move |(column, _)| (row, column))
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagram(pieces: &str) -> Diagram {
        let rows: Vec<Vec<char>> = pieces.split('/').map(|row| row.chars().collect()).collect();
        let piece = |row: usize, column: usize| match rows[row][column] {
            '.' => None,
            letter => Some(DiagramPiece::disc(Color::White, letter)),
        };
        Diagram::plain(rows.len(), rows[0].len(), piece)
    }

    #[test]
    fn differences_are_rows_and_columns() {
        assert_eq!(diagram("x..").differences(&diagram("x..")), []);
        assert_eq!(diagram("x../y..").differences(&diagram("..x/z..")), [(0, 0), (0, 2), (1, 0)]);
        assert_eq!(diagram("x../y..").columns(), 3);
    }
}
