use serde::{Deserialize, Serialize};

/// Another program in a task: what it is called, and not how it is started, which whoever plays finds in its
/// [catalogue](crate::uci::EngineCatalog).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedEngine {
    /// Its name in the catalogue.
    pub name: String,
    /// The [content](crate::Program::content) of its files, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Names and values, in the order in which they are sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
}
