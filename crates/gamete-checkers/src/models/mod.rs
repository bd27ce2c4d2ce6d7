//! What a position may be worth, as models whose weights somebody has to choose.

mod hughes;
mod material;
mod on_squares;
mod squares;
mod squares_symmetric;

pub use hughes::Hughes;
pub use material::Material;
pub use squares::Squares;
pub use squares_symmetric::SquaresSymmetric;
