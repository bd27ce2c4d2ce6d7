//! What a position may be worth, as models whose weights somebody has to choose.

mod fill;
mod material;
mod material_phased;
mod tally;
mod weights;

pub use material::Material;
pub use material_phased::MaterialPhased;
