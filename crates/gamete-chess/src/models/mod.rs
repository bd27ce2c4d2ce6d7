//! What a position may be worth, as models whose weights somebody has to choose.

mod classic;
mod fill;
mod kendall_whitwell;
mod legal_moves;
mod material;
mod material_phased;
mod pawn_structure;
mod tally;
mod tapered;
mod weights;

pub use classic::Classic;
pub use kendall_whitwell::KendallWhitwell;
pub use material::Material;
pub use material_phased::MaterialPhased;
pub use tapered::Tapered;
