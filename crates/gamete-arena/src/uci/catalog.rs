use std::collections::BTreeMap;

use super::EngineSpec;
use crate::task::NamedEngine;

/// The engines of this machine, by the names that tasks have for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineCatalog(BTreeMap<String, CatalogEntry>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct CatalogEntry {
    spec: EngineSpec,
    content: Option<String>,
    /// The first option that names a file of this machine, with its value.
    option_with_file: Option<(String, String)>,
}

/// Why an engine of a task cannot play here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineNotFound {
    /// There is none of this name.
    #[error("there is no engine called {name:?} here; {}", listed(.known))]
    Unknown {
        /// Its name.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// There is one of this name, and it is not the one that is meant.
    #[error(
        "the engine called {name:?} is {here} here, and the task is for {wanted}; install that program, or start over"
    )]
    AnotherProgram {
        /// Its name.
        name: String,
        /// The content of the one in the task.
        wanted: String,
        /// The content of the one in the catalogue.
        here: String,
    },
    /// There is one of this name, and nobody knows whether it is the one that is meant.
    #[error("it is not known what the engine called {name:?} is here, and the task is for {wanted}")]
    UnknownProgram {
        /// Its name.
        name: String,
        /// The content of the one in the task.
        wanted: String,
    },
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "the catalogue has none".to_owned(),
        names => format!("the catalogue has {}", names.join(", ")),
    }
}

impl EngineCatalog {
    /// Takes an engine in, and gives it as tasks have it. Its options go with the task.
    pub fn add(&mut self, name: &str, mut spec: EngineSpec, content: Option<String>) -> NamedEngine {
        let option_with_file =
            spec.option_with_file().map(|(option, value)| (option.to_owned(), value.to_owned()));
        let options = std::mem::take(&mut spec.options);
        let entry = CatalogEntry { spec, content: content.clone(), option_with_file };
        self.0.insert(name.to_owned(), entry);
        NamedEngine { name: name.to_owned(), content, options }
    }

    /// An engine that was added with an option that names a file of this machine, with the option and its value: tasks with it
    /// cannot be done elsewhere.
    pub fn option_with_file(&self) -> Option<(&str, &str, &str)> {
        self.0.iter().find_map(|(name, entry)| {
            let (option, value) = entry.option_with_file.as_ref()?;
            Some((name.as_str(), option.as_str(), value.as_str()))
        })
    }

    /// Whether it has no engine.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks that the engine of a task is here: a program of its name and content.
    ///
    /// # Errors
    ///
    /// When there is none of its name, another one, or one of which it is not known what it is.
    pub fn check(&self, engine: &NamedEngine) -> Result<(), EngineNotFound> {
        self.spec(engine)?;
        let is_known = self.0.get(&engine.name).is_some_and(|entry| entry.content.is_some());
        match &engine.content {
            Some(wanted) if !is_known => {
                let (name, wanted) = (engine.name.clone(), wanted.clone());
                Err(EngineNotFound::UnknownProgram { name, wanted })
            }
            _ => Ok(()),
        }
    }

    /// How to start the engine of a task, with its options. One whose content is in the task alone is believed to be the same: an
    /// experiment that plays its own games has checked that before.
    ///
    /// # Errors
    ///
    /// When there is none of its name, or another one.
    pub fn spec(&self, engine: &NamedEngine) -> Result<EngineSpec, EngineNotFound> {
        let NamedEngine { name, content, options } = engine;
        let entry = self.0.get(name).ok_or_else(|| EngineNotFound::Unknown {
            name: name.clone(),
            known: self.0.keys().cloned().collect(),
        })?;
        if let (Some(wanted), Some(here)) = (content, &entry.content)
            && wanted != here
        {
            let (name, wanted, here) = (name.clone(), wanted.clone(), here.clone());
            return Err(EngineNotFound::AnotherProgram { name, wanted, here });
        }
        let mut spec = entry.spec.clone();
        spec.options.extend(options.iter().cloned());
        Ok(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_found_by_its_name_and_content() {
        let mut catalog = EngineCatalog::default();
        let spec = EngineSpec::new("bin/x").with_args(["a"]).with_option("Hash", "1");
        let engine = catalog.add("x", spec.clone(), Some("1a".to_owned()));
        assert_eq!(engine.options, [("Hash".to_owned(), "1".to_owned())]);
        assert_eq!(catalog.spec(&engine).unwrap(), spec);
        let with = |name: &str, content: Option<&str>| {
            let content = content.map(str::to_owned);
            catalog.spec(&NamedEngine { name: name.to_owned(), content, options: Vec::new() })
        };
        assert_eq!(with("x", None).unwrap(), EngineSpec::new("bin/x").with_args(["a"]));
        let error = with("y", None).unwrap_err().to_string();
        assert_eq!(error, "there is no engine called \"y\" here; the catalogue has x");
        let error = with("x", Some("2b")).unwrap_err().to_string();
        assert!(error.starts_with("the engine called \"x\" is 1a here, and the task is for 2b"), "{error}");
        assert_eq!(catalog.option_with_file(), None);
        let with_file = EngineSpec::new("bin/x").with_option("EvalFile", "Cargo.toml");
        catalog.add("a", with_file, None);
        assert_eq!(catalog.option_with_file(), Some(("a", "EvalFile", "Cargo.toml")));
        assert_eq!(catalog.check(&engine), Ok(()));
        let unread = catalog.add("z", EngineSpec::new("bin/z"), None);
        assert_eq!(catalog.check(&unread), Ok(()));
        let meant = NamedEngine { content: Some("3c".to_owned()), ..unread };
        assert!(catalog.spec(&meant).is_ok());
        let error = catalog.check(&meant).unwrap_err().to_string();
        assert_eq!(error, "it is not known what the engine called \"z\" is here, and the task is for 3c");
        let empty = EngineCatalog::default().spec(&engine).unwrap_err().to_string();
        assert_eq!(empty, "there is no engine called \"x\" here; the catalogue has none");
    }
}
