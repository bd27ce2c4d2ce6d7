//! What children have of their parents.

mod intermediate;
mod multi_parent;
mod single_point;
mod uniform;

pub use intermediate::intermediate;
pub use multi_parent::multi_parent;
pub use single_point::single_point;
pub use uniform::uniform;
