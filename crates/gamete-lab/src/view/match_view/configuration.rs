use gamete_arena::uci::EngineSpec;
use gamete_arena::{Contestant, GameName, MatchRules, MatchTerms, Tournament};
use gamete_stats::Sprt;
use serde::Deserialize;
use serde_json::Value;

/// What the journal of a match has of what was asked for.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Configuration {
    pub game: GameName,
    pub contestants: Vec<Contestant<EngineSpec>>,
    pub tournament: Tournament,
    pub games: u64,
    /// Only of a quick-tournament, which is another one with other rounds.
    #[serde(default)]
    pub rounds: Option<u64>,
    pub swap: bool,
    #[serde(default)]
    pub reverse: bool,
    #[serde(default)]
    pub openings: Option<String>,
    #[serde(default)]
    pub event: String,
    #[serde(default)]
    pub site: String,
}

impl Configuration {
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        let mut json: Value = serde_json::from_str(text)?;
        // It stands there twice, as version 0.1 wrote it.
        for contestant in json["contestants"].as_array_mut().into_iter().flatten() {
            if let Some(engine) = contestant.pointer_mut("/competitor/engine").and_then(Value::as_object_mut)
            {
                engine.remove("time_margin_ms");
            }
        }
        let mut parsed: Self = serde_json::from_value(json)?;
        parsed.games = parsed.games.max(1);
        Ok(parsed)
    }

    /// The rules of the match. Where nobody says how long it is, it is as long as what was played.
    pub fn rules(&self, terms: Option<&MatchTerms>, seed: u64, known_encounters: u64) -> MatchRules {
        let sprt: Option<Sprt> = terms.and_then(|terms| terms.sprt.as_ref()?.sprt().ok());
        let rules = |rounds: u64| {
            let Self { tournament, games, swap, reverse, .. } = *self;
            MatchRules { tournament, rounds, games, swap, reverse, sprt, seed }
        };
        let each_round = rules(1).schedule(self.contestants.len()).len().max(1);
        let rounds = terms.map(|terms| terms.rounds).or(self.rounds);
        rules(rounds.unwrap_or_else(|| known_encounters.div_ceil(each_round)).max(1))
    }
}
