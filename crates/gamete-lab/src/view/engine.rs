use gamete_arena::uci::EngineSpec;
use gamete_arena::{Contestant, Limits};
use gamete_optim::Genome;
use serde::Serialize;
use toml::{Table, Value};

use crate::changes::shell_word;
use crate::experiment::Experiment;

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
    /// How games are played, as `gamete match` takes it: behind `-each`, and by itself.
    #[serde(skip)]
    conditions: [Vec<String>; 2],
}

impl EngineView {
    /// The engine of a genome; nothing where genomes are no options of one.
    pub(crate) fn new(experiment: &Experiment, genome: &Genome) -> Option<Self> {
        let method = experiment.method.as_ref();
        let (found, classical) =
            (method.engine(Some(genome))?, method.engine(method.start_genome().as_deref())?);
        let other = if method.has_start_values() { "original" } else { "classical" };
        let limits = found.limits;
        let conditions = conditions(&found, &experiment.table());
        let [found, classical] = [found.engine()?, classical.engine()?].map(Clone::clone);
        Some(Self { found, classical, limits, other, conditions })
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
        let [each, alone] = self
            .conditions
            .each_ref()
            .map(|words| words.iter().map(|word| format!(" {word}")).collect::<String>());
        format!(
            "gamete match -engine {found} -engine {classical} -each {}{each} -rounds 100{alone}",
            self.limits
        )
    }
}

/// How the games of an experiment are played, in the words of `gamete match`: those behind `-each`, and those with a dash of their own.
fn conditions(found: &Contestant<EngineSpec>, table: &Table) -> [Vec<String>; 2] {
    let own = |key: &str| table.get("match").and_then(|own| own.get(key));
    let text = |key: &str| own(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let mut each = Vec::new();
    if found.time_margin_ms > 0 {
        each.push(format!("timemargin={}", found.time_margin_ms));
    }
    each.extend(text("restart").filter(|word| *word != "auto").map(|word| format!("restart={word}")));
    let mut alone: Vec<String> = Vec::new();
    if let Some(file) = text("openings") {
        let plies = own("book_plies").and_then(Value::as_integer).filter(|plies| *plies > 0);
        let plies = plies.map_or_else(String::new, |plies| format!(" plies={plies}"));
        alone.push(format!("-openings {} order=random{plies}", shell_word(&format!("file={file}"))));
    } else if let Some(plies) = own("plies").and_then(Value::as_integer) {
        alone.push(format!("-openings random plies={plies}"));
    }
    alone.extend(["draw", "resign"].into_iter().filter_map(|rule| Some(format!("-{rule} {}", text(rule)?))));
    if let Some(word) = text("tables").filter(|word| *word != "none") {
        let pieces = own("table_pieces").and_then(Value::as_integer).filter(|pieces| *pieces > 0);
        let pieces = pieces.map_or_else(String::new, |pieces| format!(" -tbpieces {pieces}"));
        let fifty = own("table_fifty").and_then(Value::as_bool) != Some(false);
        let fifty = if fifty { "" } else { " -tbignore50" };
        alone.push(format!("-tb TABLES -tbadjudicate {}{pieces}{fifty}", word.to_uppercase()));
    }
    let variant = text("variant").filter(|word| *word != "standard");
    alone.extend(variant.map(|word| format!("-variant {word}")));
    if let Some(moves) = table.get("max_moves").and_then(Value::as_integer) {
        let by_material = table.get("at_max_moves").and_then(Value::as_str) == Some("material");
        alone.push(format!("-maxmoves {moves}{}", if by_material { " material" } else { "" }));
    }
    [each, alone]
}

fn options(spec: &EngineSpec) -> Vec<String> {
    spec.options.iter().map(|(name, value)| format!("option.{name}={value}")).collect()
}
