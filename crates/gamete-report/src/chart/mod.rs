//! Charts as SVG inside a page. Colours are classes, which the page's style gives meaning in light, dark and print.

mod bars;
mod frame;
mod lines;
mod scale;
mod strips;

pub use bars::Shares;
pub use frame::{Size, spread_out};
pub use lines::{Lines, Point, Series};
pub use scale::Axis;
pub use strips::{Strip, Strips};
