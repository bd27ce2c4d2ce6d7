use gamete_arena::Limits;
use gamete_arena::uci::EngineSpec;
use gamete_optim::Genome;
use serde::Serialize;

use crate::changes::shell_word;
use crate::methods::Method;

/// A UCI engine whose options were sought.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EngineView {
    /// The engine with the options of a genome.
    pub found: EngineSpec,
    /// The engine with its own values of the options that were sought, or with those that the search started from.
    pub classical: EngineSpec,
    /// How much it may think.
    pub limits: Limits,
    /// What to call the other one.
    #[serde(skip)]
    other: &'static str,
}

impl EngineView {
    /// The engine of a genome; nothing where genomes are no options of one.
    pub(crate) fn new(method: &dyn Method, genome: &Genome) -> Option<Self> {
        let (found, classical) =
            (method.engine(Some(genome))?, method.engine(method.start_genome().as_deref())?);
        let other = if method.has_start_values() { "original" } else { "classical" };
        let limits = found.limits;
        Some(Self { found: found.engine()?.clone(), classical: classical.engine()?.clone(), limits, other })
    }

    /// Its options, as `gamete match` takes them behind `-engine`: `option.Hash=16`.
    pub fn options(&self) -> Vec<String> {
        options(&self.found)
    }

    /// The command that lets it play against the engine with its own values.
    pub fn match_command(&self) -> String {
        let engine = |name: &str, spec: &EngineSpec| {
            let mut words = vec![format!("cmd={}", spec.cmd.display()), format!("name={name}")];
            words.extend(spec.args.iter().map(|arg| format!("arg={arg}")));
            words.extend(spec.dir.iter().map(|dir| format!("dir={}", dir.display())));
            words.extend(options(spec));
            words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
        };
        let (found, classical) = (engine("found", &self.found), engine(self.other, &self.classical));
        format!("gamete match -engine {found} -engine {classical} -each {} -rounds 100", self.limits)
    }
}

fn options(spec: &EngineSpec) -> Vec<String> {
    spec.options.iter().map(|(name, value)| format!("option.{name}={value}")).collect()
}
