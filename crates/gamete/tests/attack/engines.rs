//! Matches with an engine that attacks: they end as matches do.

use std::process::Command;

use serde_json::Value;

use crate::Siege;
use crate::common::test_engine;
use crate::target::Target;

#[test]
fn hostile_engines_cost_their_games_and_nothing_else() {
    let (hostile, mover) = (test_engine("hostile-engine"), test_engine("random-mover"));
    let list = Command::new(&hostile).arg("list").output().expect("an engine").stdout;
    let ways: Vec<_> = String::from_utf8(list).expect("text").lines().map(str::to_owned).collect();
    assert!(ways.len() > 43, "{ways:?}");
    Siege::new("engines", ways.len() as u64).each(|number, rng| {
        let folder = tempfile::tempdir().expect("a folder");
        let way = &ways[number as usize % ways.len()];
        let at = if number < ways.len() as u64 { 2 } else { 1 + rng.below(6) };
        // Only the attacker has a clock: the other one is honest on however busy a machine, if it has time to start.
        let words = format!(
            "match|-engine|cmd={}|args={way} {at}|name=Hostile|st=0.3|timemargin=100|-engine|cmd={}|name=Mover|nodes=1|-rounds|2|\
             -concurrency|2|-maxmoves|8|-startup-ms|30000|-json|-pgnout|x.pgn|-srand|{}",
            hostile.display(),
            mover.display(),
            rng.below(1000)
        );
        let ended = Target::start(folder.path(), words.split('|'), Vec::new()).finish(400);
        ended.assert_answered();
        if ended.status.success() {
            let json: Value = serde_json::from_str(&ended.out()).expect("JSON");
            assert_eq!(json["games"], 4, "{way}: {json}");
            assert_eq!(json["contestants"][1]["faults"], no_faults(&json), "{way}: {json}");
        } else {
            assert!(ended.err().contains("Hostile"), "{way}: {}", ended.err());
        }
    });
}

/// The other engine is honest, whatever its opponent does.
fn no_faults(json: &Value) -> Value {
    let mut faults = json["contestants"][1]["faults"].clone();
    for count in faults.as_object_mut().expect("counts by kind").values_mut() {
        *count = 0.into();
    }
    faults
}
