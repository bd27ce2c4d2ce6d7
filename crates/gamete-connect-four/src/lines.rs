use gamete_game::{Color, Model, Parameter, Terms};

use crate::Position;
use crate::position::{BOARD, STEPS};

/// What lines of four squares are worth on which only one side has discs, and discs in the middle column.
#[derive(Debug, Clone, Copy)]
pub struct Lines;

/// Every line of four squares.
const LINES: [u64; 69] = {
    let (mut lines, mut count, mut n) = ([0; 69], 0, 0);
    while n < 4 * BOARD.ilog2() {
        let (first, step) = (1_u64 << (n / 4), STEPS[n as usize % 4]);
        let line = first | first << step | first << (2 * step) | first << (3 * step);
        if line & !BOARD == 0 {
            lines[count] = line;
            count += 1;
        }
        n += 1;
    }
    lines
};

impl Model<Position> for Lines {
    const NAME: &'static str = "connect-four/lines";
    const ABOUT: &'static str = "open lines by the number of their discs, and the middle column";
    const SCALE: f64 = 1000.0;
    const WEIGHTS: &'static [Parameter] = &[
        Parameter::real("one", [0.0, 2.0], 0.02, "open lines with one disc"),
        Parameter::real("two", [0.0, 2.0], 0.1, "open lines with two discs"),
        Parameter::real("three", [0.0, 2.0], 0.3, "open lines with three discs"),
        Parameter::real("middle", [0.0, 2.0], 0.05, "discs in the middle column"),
    ];

    fn accumulate(position: &Position, terms: &mut impl Terms) {
        for (color, sign) in [(Color::White, 1), (Color::Black, -1)] {
            let [own, other] = [color, !color].map(|color| position.discs[color as usize]);
            for line in LINES.into_iter().filter(|line| line & other == 0) {
                let count = (line & own).count_ones() as usize;
                if (1..=3).contains(&count) {
                    terms.add(count - 1, sign);
                }
            }
            // The middle column has the bits from 21 to 26.
            terms.add(3, sign * (own & 0b11_1111 << 21).count_ones() as i32);
        }
    }
}
