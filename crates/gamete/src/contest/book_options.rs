use std::num::NonZeroU64;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use gamete_arena::files::FileFormat;
use gamete_arena::{OpeningOrder, OpeningPolicy};
use serde::Serialize;

use super::starts::NamedStart;
use crate::single_dash::{Group, number};

/// Where games start. The file or what was named instead is described by [`BookOptions::configuration`].
#[derive(Debug, Clone, Serialize)]
pub struct BookOptions {
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// What was named instead of a file.
    #[serde(skip)]
    pub named: Option<NamedStart>,
    pub format: Option<FileFormat>,
    pub order: OpeningOrder,
    pub plies: Option<usize>,
    pub start: NonZeroU64,
    #[serde(skip_serializing_if = "OpeningPolicy::is_default")]
    pub policy: OpeningPolicy,
}

impl Default for BookOptions {
    fn default() -> Self {
        let order = OpeningOrder::Random;
        let (start, policy) = (NonZeroU64::MIN, OpeningPolicy::Round);
        Self { file: None, named: None, format: None, order, plies: None, start, policy }
    }
}

impl BookOptions {
    /// What follows `-openings`.
    pub fn parse(group: &Group<'_>) -> Result<Self> {
        let mut options = Self::default();
        let (words, values): (Vec<&str>, Vec<&str>) =
            group.values.iter().partition(|word| NamedStart::parse(word).is_some());
        if let Some(word) = words.get(1) {
            bail!("-openings: {word:?} is one word too many");
        }
        options.named = words.first().and_then(|word| NamedStart::parse(word));
        if let Some(word) = values.iter().find(|value| !value.contains('=')) {
            bail!("-openings: {word:?} is not {}, or a pair like file=…", NamedStart::words());
        }
        let group = Group { name: group.name, values };
        for (key, value) in group.pairs(&["file", "format", "order", "plies", "start", "policy"])? {
            match key {
                "file" => options.file = Some(value.into()),
                "format" => options.format = Some(value.parse().context("-openings: format=")?),
                "order" => {
                    options.order = match value {
                        "random" => OpeningOrder::Random,
                        "sequential" => OpeningOrder::Sequential,
                        _ => bail!("-openings: order={value} is not random or sequential"),
                    };
                }
                "policy" => {
                    options.policy = match value {
                        "round" => OpeningPolicy::Round,
                        // What cutechess does by default: every pair of players takes the next one.
                        "encounter" | "default" => OpeningPolicy::Encounter,
                        _ => bail!("-openings: policy={value} is not round or encounter"),
                    };
                }
                "plies" => options.plies = Some(number(group.name, key, value)?),
                _ => options.start = number(group.name, key, value)?,
            }
        }
        if let Some(file) = options.file.as_ref().filter(|file| !file.exists()) {
            bail!("-openings: {}: there is no such file", file.display());
        }
        Ok(options)
    }
}
