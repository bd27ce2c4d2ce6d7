//! Charts as SVG inside a page. Colours are classes, which the page's style gives meaning in light, dark and print.

mod bars;
mod frame;
mod heat;
mod lines;
mod plane;
mod scale;
mod strips;

pub use bars::Shares;
pub use frame::{Size, spread_out};
pub use heat::{Heat, label as heat_label};
pub use lines::{Lines, Point, Series};
pub use plane::Plane;
pub use scale::{Axis, is_drawable};
pub use strips::{Strip, Strips};
