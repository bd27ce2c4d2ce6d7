use gamete_game::{Color, Model, Parameter, Terms};

use super::pieces::{each_change, each_step};
use crate::{Kind, Move, Position};

/// Nothing but men and kings.
#[derive(Debug, Clone, Copy)]
pub struct Material;

const MAN: usize = 0;
const KING: usize = 1;

impl Model<Position> for Material {
    const NAME: &'static str = "checkers/material";
    const ABOUT: &'static str = "the values of a man and a king, in men";
    const WEIGHTS: &'static [Parameter] =
        &[Parameter::real("man", [0.0, 5.0], 1.0, "men"), Parameter::real("king", [0.0, 5.0], 1.3, "kings")];
    const SCALE: f64 = 1000.0;
    const INCREMENTAL: bool = true;

    #[inline]
    fn accumulate(position: &Position, terms: &mut impl Terms) {
        let men = |color| (position.pieces(color) & !position.kings()).len() as i32;
        let kings = |color| (position.pieces(color) & position.kings()).len() as i32;
        terms.add(MAN, men(Color::White) - men(Color::Black));
        terms.add(KING, kings(Color::White) - kings(Color::Black));
    }

    #[inline(always)]
    fn accumulate_move(position: &Position, mv: Move, terms: &mut impl Terms) {
        each_change(position, mv, |color, kind, _, count| {
            let weight = if kind == Kind::Man { MAN } else { KING };
            terms.add(weight, if color == Color::White { count } else { -count });
        });
    }

    fn for_each_quiet_change(f: impl FnMut(&Position, Move)) {
        each_step(f);
    }

    fn piece_value(weights: &[i32], kind: usize) -> Option<i32> {
        weights.get(kind).copied()
    }
}
