//! Where a search starts: the table `[parameters]` of a file, with a value for each number that is sought.

use std::collections::BTreeMap;

use gamete_optim::{Genome, Space};
use serde::{Deserialize, Serialize};

use crate::experiment::{ExperimentError, key_path, unknown_key};

/// The values that a search starts from, by the names of its genes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StartValues {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, StartValue>,
}

/// What is known of a number that is sought.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StartValue {
    /// The value in use.
    pub start: f64,
    /// A change that makes a difference in play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// The learning rate at the end of SPSA.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Its place among the parameters as people list them, where that is not by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<u32>,
    /// Whether it is not sought, and only told of with the others.
    #[serde(default, skip_serializing_if = "is_false")]
    pub kept: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// The table of a file.
const TABLE: &str = "parameters.";

impl StartValues {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    /// A space whose defaults, steps and rates are these.
    ///
    /// # Errors
    ///
    /// When some of its numbers have no start, or one is out of range.
    pub fn apply(&self, mut space: Space) -> Result<Space, ExperimentError> {
        if self.is_empty() {
            return Ok(space);
        }
        let names = space.names();
        for (name, StartValue { kept, .. }) in &self.parameters {
            if *kept && names.contains(name) {
                let reason = "kept = true: it has a range, and so is sought; give it one value".to_owned();
                return Err(ExperimentError::value(&key_path(TABLE, name), reason));
            }
            if !kept && !names.contains(name) {
                return Err(unknown_key(TABLE, name, names.iter().map(String::as_str), "`--print`"));
            }
        }
        for (name, [min, max]) in names.iter().zip(space.ranges()) {
            let key = key_path(TABLE, name);
            let wrong = |reason: String| Err(ExperimentError::value(&key, reason));
            let Some(StartValue { start, step, rate, .. }) = self.parameters.get(name).copied() else {
                return wrong("it has no start, which others have; give it one, too".to_owned());
            };
            if !(min..=max).contains(&start) {
                return wrong(format!("start = {start}: give a number of its range, from {min} to {max}"));
            }
            for (word, number) in [("step", step), ("rate", rate)] {
                if let Some(number) = number.filter(|number| !(*number > 0.0 && number.is_finite())) {
                    return wrong(format!("{word} = {number}: give a number above 0"));
                }
            }
            space.set_start(name, start, step, rate);
        }
        Ok(space)
    }

    /// The genome of these values, if there are any.
    pub fn genome(&self, space: Space) -> Result<Option<Genome>, ExperimentError> {
        if self.is_empty() { Ok(None) } else { Ok(Some(self.apply(space)?.defaults())) }
    }
}

#[cfg(test)]
mod tests {
    use gamete_game::Parameter;

    use super::*;

    fn space() -> Space {
        Space::of(vec![
            Parameter::integer("depth", [0.0, 10.0], 3.0, ""),
            Parameter::real("pawn", [0.0, 2.0], 1.0, ""),
        ])
        .expect("a space")
    }

    fn values(text: &str) -> StartValues {
        toml::from_str(text).expect("a table")
    }

    #[test]
    fn values_become_the_defaults_and_steps_of_a_space() {
        let text = "[parameters]\ndepth = { start = 7, step = 2.5, rate = 0.01 }\npawn = { start = 0.5 }\n";
        let space = values(text).apply(space()).expect("a space");
        assert_eq!(space.defaults(), [7.0, 0.5]);
        assert_eq!(space.steps(), [2.5, 0.1]);
        assert_eq!(space.rates(), [Some(0.01), None]);
        let with_kept = format!("{text}king = {{ start = 3, kept = true }}\n");
        assert_eq!(values(&with_kept).genome(space.clone()), Ok(Some(vec![7.0, 0.5])));
        assert_eq!(values("").genome(space.clone()), Ok(None));
        assert_eq!(values(text).genome(space), Ok(Some(vec![7.0, 0.5])));
    }

    #[test]
    fn values_that_cannot_be_are_refused() {
        let error = |text: &str| values(text).apply(space()).expect_err("an error").to_string();
        let pawn = "pawn = { start = 1 }\n";
        assert_eq!(
            error(&format!("[parameters]\n{pawn}")),
            "parameters.depth: it has no start, which others have; give it one, too"
        );
        assert_eq!(
            error(&format!("[parameters]\n{pawn}depth = {{ start = 3, kept = true }}\n")),
            "parameters.depth: kept = true: it has a range, and so is sought; give it one value"
        );
        assert_eq!(
            error(&format!("[parameters]\n{pawn}depth = {{ start = 11 }}\n")),
            "parameters.depth: start = 11: give a number of its range, from 0 to 10"
        );
        assert_eq!(
            error(&format!("[parameters]\n{pawn}depth = {{ start = 1, step = 0 }}\n")),
            "parameters.depth: step = 0: give a number above 0"
        );
        assert!(error("[parameters]\nrook = { start = 1 }\n").starts_with("unknown key \"parameters.rook\""));
    }
}
