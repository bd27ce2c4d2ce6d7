//! Experiments that come with the program.

/// Their names.
pub const NAMES: [&str; 4] = ["kendall-whitwell", "mutation-study", "mutation-scale", "meta-mutation"];

/// The file of a preset.
pub fn text(name: &str) -> Option<&'static str> {
    match name {
        "kendall-whitwell" => Some(include_str!("presets/kendall-whitwell.toml")),
        "mutation-study" => Some(include_str!("presets/mutation-study.toml")),
        "mutation-scale" => Some(include_str!("presets/mutation-scale.toml")),
        "meta-mutation" => Some(include_str!("presets/meta-mutation.toml")),
        _ => None,
    }
}
