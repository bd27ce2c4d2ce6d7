//! What streams, consumers and subjects are called.

use gamete_arena::{Contestant, NamedEngine, Task};

/// Where coordinators say what there is to do.
pub(crate) const OFFERS: &str = "gamete.offer";

/// Where somebody asks all workers and coordinators to say that they are there.
pub(crate) const HELLO: &str = "gamete.hello";

/// Where somebody asks all coordinators what they know.
pub(crate) const STATUS: &str = "gamete.status";

/// Where workers say that they are there, each below it.
pub(crate) const WORKERS: &str = "gamete.worker";

/// What subjects of outcomes begin with.
pub(crate) const OUTCOMES: &str = "gamete.outcome.";

/// What all streams of tasks begin with.
pub(crate) const TASK_STREAMS: &str = "gamete-tasks-";

/// What all streams of outcomes begin with.
pub(crate) const OUTCOME_STREAMS: &str = "gamete-outcomes-";

/// The names of an experiment at the broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    /// The experiment as part of other names.
    pub slug: String,
    /// The signature of the program.
    pub signature: String,
}

impl Names {
    /// Those of an experiment. `home` tells experiments of one name apart, as the folder of their lab does.
    pub fn new(experiment: &str, home: &str, signature: &str) -> Self {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        let name: String = experiment.chars().take(40).map(plain).collect();
        let hash = blake3::hash(format!("{experiment}\n{home}").as_bytes());
        Self { slug: format!("{name}-{}", &hash.to_hex()[..8]), signature: signature.to_owned() }
    }

    /// The stream of tasks.
    pub fn tasks(&self) -> String {
        format!("{TASK_STREAMS}{}", self.slug)
    }

    /// The subjects of that stream, of all signatures.
    pub fn task_subjects(&self) -> String {
        format!("gamete.task.*.{}.*", self.slug)
    }

    /// The subject of tasks that need these engines.
    pub fn task_subject(&self, engines: &str) -> String {
        format!("gamete.task.{}.{}.{engines}", self.signature, self.slug)
    }

    /// The consumer of that subject.
    pub fn consumer(&self, engines: &str) -> String {
        format!("{}-{engines}", self.signature)
    }

    /// The stream of outcomes.
    pub fn outcomes(&self) -> String {
        format!("{OUTCOME_STREAMS}{}", self.slug)
    }

    /// Its subject.
    pub fn outcome_subject(&self) -> String {
        format!("{OUTCOMES}{}", self.slug)
    }
}

/// The engines that a task needs, without their options, each once.
pub(crate) fn engines_of(task: &Task) -> Vec<NamedEngine> {
    // One without a name stands for a player that is kept elsewhere.
    let named = task.contestants().filter_map(Contestant::engine).filter(|engine| !engine.name.is_empty());
    let mut engines: Vec<_> =
        named.map(|engine| NamedEngine { options: Vec::new(), ..engine.clone() }).collect();
    engines.sort_unstable_by(|a, b| (&a.name, &a.content).cmp(&(&b.name, &b.content)));
    engines.dedup();
    engines
}

/// What stands for these engines in a subject: workers that do not have them never see it.
pub(crate) fn engines_token(engines: &[NamedEngine]) -> String {
    if engines.is_empty() {
        return "none".to_owned();
    }
    let mut hasher = blake3::Hasher::new();
    for NamedEngine { name, content, .. } in engines {
        for part in [name, content.as_deref().unwrap_or_default()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_single_tokens_and_tell_labs_apart() {
        let one = Names::new("study one/s=0.5.x*>", "/a", "2-ab");
        assert!(one.slug.starts_with("study_one_s_0_5_x__-"), "{}", one.slug);
        assert_eq!(one.task_subject("none"), format!("gamete.task.2-ab.{}.none", one.slug));
        assert_ne!(one.slug, Names::new("study one/s=0.5.x*>", "/b", "2-ab").slug);
        assert_eq!(one, Names::new("study one/s=0.5.x*>", "/a", "2-ab"));
    }

    #[test]
    fn a_token_is_of_names_and_contents() {
        let engine = |name: &str, content: Option<&str>| NamedEngine {
            name: name.to_owned(),
            content: content.map(str::to_owned),
            options: Vec::new(),
        };
        assert_eq!(engines_token(&[]), "none");
        let token = engines_token(&[engine("a", Some("1"))]);
        assert_ne!(token, engines_token(&[engine("a", Some("2"))]));
        assert_ne!(token, engines_token(&[engine("a", None)]));
        assert_ne!(engines_token(&[engine("ab", None)]), engines_token(&[engine("a", Some("b"))]));
    }
}
