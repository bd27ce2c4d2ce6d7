//! The checks of the fuzz targets, on their seeds and on damaged copies of them, where there is no fuzzer.

#[path = "../../../fuzz/checks.rs"]
mod checks;

use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;

#[derive(Debug, Clone)]
enum Damage {
    Replace(Index, u8),
    Insert(Index, u8),
    Remove(Index),
    Cut(Index),
    Double(Index, Index),
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        match self {
            Self::Replace(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Self::Insert(at, byte) => bytes.insert(at.index(bytes.len()), *byte),
            Self::Remove(at) => {
                bytes.remove(at.index(bytes.len()));
            }
            Self::Cut(at) => bytes.truncate(at.index(bytes.len())),
            Self::Double(from, to) => {
                let tail = bytes[from.index(bytes.len())..].to_vec();
                let to = to.index(bytes.len());
                bytes.splice(to..to, tail);
            }
        }
    }
}

fn damage() -> impl Strategy<Value = Damage> {
    let byte = prop_oneof![any::<u8>(), prop::sample::select(b"\0\n\"[]{}()0189/ -x*$;%KRW:".to_vec())];
    prop_oneof![
        (any::<Index>(), byte.clone()).prop_map(|(at, byte)| Damage::Replace(at, byte)),
        (any::<Index>(), byte).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        any::<Index>().prop_map(Damage::Remove),
        any::<Index>().prop_map(Damage::Cut),
        (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Damage::Double(from, to)),
    ]
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let files = std::fs::read_dir(folder).expect("a folder of seeds");
    let mut paths: Vec<_> = files.map(|file| file.expect("a seed").path()).collect();
    paths.sort();
    paths.into_iter().map(|path| std::fs::read(path).expect("a seed")).collect()
}

fn check(target: &str, check: fn(&[u8])) {
    let seeds = seeds(target);
    seeds.iter().for_each(|seed| check(seed));
    let damaged = (prop::sample::select(seeds), prop::collection::vec(damage(), 1..5));
    proptest!(ProptestConfig::with_cases(2_000), |((mut seed, damages) in damaged)| {
        damages.iter().for_each(|damage| damage.apply(&mut seed));
        check(&seed);
    });
}

#[test]
fn damaged_fen_never_panics() {
    check("fen", checks::fen);
}

#[test]
fn damaged_pgn_never_panics() {
    check("pgn", checks::pgn);
}

#[test]
fn damaged_epd_never_panics() {
    check("epd", checks::epd);
}

#[test]
fn damaged_pdn_never_panics() {
    check("pdn", checks::pdn);
}
