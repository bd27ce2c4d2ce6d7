//! What experiment files mean, and what is said of experiments that say nothing.

mod common;

use std::path::Path;

use common::{Run, gamete};

/// Loads a file, or runs it in a lab of its own.
fn evolve(content: &str, args: &[&str]) -> Run {
    let lab = tempfile::tempdir().expect("a directory");
    let path = lab.path().join("mine.toml");
    std::fs::write(&path, content).expect("a file");
    let text = |path: &Path| path.to_str().expect("a path in UTF-8").to_owned();
    let (file, lab) = (text(&path), text(lab.path()));
    gamete(["evolve", &file, "--verify", "0", "--lab", &lab].into_iter().chain(args.iter().copied()))
}

/// The file with every default in it.
fn whole(content: &str) -> toml::Table {
    let run = evolve(content, &["--print"]);
    assert_eq!(run.status, Some(0), "{content}: {}", run.err);
    run.out.parse().expect("TOML")
}

#[test]
fn the_search_fits_the_limits_where_a_file_names_none() {
    let preset = |content: &str| whole(content)["preset"].as_str().expect("a name").to_owned();
    assert_eq!(preset("limits = 'depth=2'"), "paper");
    assert_eq!(preset(""), "paper");
    assert_eq!(preset("limits = 'nodes=300'"), "full");
    assert_eq!(preset("limits = 'depth=4 nodes=300'"), "full");
    assert_eq!(preset("limits = 'nodes=300'\npreset = 'classic'"), "classic");
    assert_eq!(preset("model = 'checkers/material'\nlimits = 'st=0.01'"), "full");

    let arms = "arms = [{ name = 'a' }, { name = 'b', set.limits = 'nodes=300' }, { name = 'c', set.limits = 'depth=3' }, \
                { name = 'd', set = { limits = 'nodes=300', preset = 'classic' } }]";
    let presets = |content: &str| -> Vec<String> {
        let whole = whole(content);
        let arms = whole["arms"].as_array().expect("arms").clone();
        let preset =
            |arm: &toml::Value| arm["set"].get("preset").and_then(toml::Value::as_str).map(str::to_owned);
        arms.iter().map(|arm| preset(arm).unwrap_or_default()).collect()
    };
    assert_eq!(presets(arms), ["", "full", "", "classic"]);
    assert_eq!(presets(&format!("preset = 'paper'\n{arms}")), ["", "", "", "classic"], "what is named stays");
    // A file with every default in it is the same experiment.
    let again = toml::to_string(&whole(arms)).expect("TOML");
    assert_eq!(whole(&again), whole(arms));
    let inner = whole("method = 'meta-evolution'\ngenes.scale = [0, 1]\ninner.limits = 'nodes=100'");
    assert_eq!(inner["inner"]["preset"].as_str(), Some("full"));
}

#[test]
fn searches_that_are_cut_short_are_warned_of() {
    let small = "population = 2\ngenerations = 1\nmax_moves = 2\n";
    let words = "set preset = \"full\": this preset searches straight to a depth";
    let run = |content: &str| evolve(&format!("{small}{content}"), &["--json"]);
    let warned = run("preset = 'paper'\nlimits = 'nodes=300'\n");
    assert_eq!(warned.status, Some(0), "{}", warned.err);
    assert!(
        warned.err.contains(&format!("warning: preset = \"paper\": moves will be nearly random; {words}")),
        "{}",
        warned.err
    );
    for fine in [
        "limits = 'nodes=300'\n",
        "preset = 'paper'\nlimits = 'depth=1'\n",
        "preset = 'classic'\nlimits = 'nodes=50'\n",
    ] {
        let run = run(fine);
        assert!(run.status == Some(0) && !run.err.contains("warning"), "{fine}: {}", run.err);
    }
}

#[test]
fn weights_that_are_not_named_keep_their_defaults_where_others_have_ranges() {
    let weights = |content: &str| whole(content)["weights"].as_table().expect("weights").clone();
    let free = |content: &str| -> Vec<String> {
        let weights = weights(content);
        weights.iter().filter(|(_, gene)| gene.is_array()).map(|(name, _)| name.clone()).collect()
    };
    let classic = "model = 'chess/classic'\nlimits = 'nodes=100'\n";
    let all = free(classic).len();
    assert_eq!(all, weights(classic).len(), "without a list all evolve");
    assert!(all >= 35, "{all}");
    let pawn = weights(classic).keys().find(|name| name.contains("pawn")).expect("a pawn").clone();
    let one = format!("{classic}weights.{pawn} = [50, 150]\n");
    assert_eq!(free(&one), std::slice::from_ref(&pawn));
    // The others are what the model has without evolution.
    let models = gamete(["models", "chess/classic"]).out;
    for (name, value) in weights(&one).iter().filter(|(name, _)| **name != pawn) {
        let value = value.as_float().expect("a number");
        let row = models
            .lines()
            .find(|line| line.split_whitespace().next() == Some(name))
            .unwrap_or_else(|| panic!("{name} in {models}"));
        assert!(row.split_whitespace().any(|word| word.parse() == Ok(value)), "{name} = {value}: {row}");
    }
    let rest = weights(&format!("{one}weights.'*' = [1, 2]\n"));
    assert_eq!(rest.len(), all);
    for (name, gene) in &rest {
        let range: Vec<f64> =
            gene.as_array().expect("a range").iter().filter_map(toml::Value::as_float).collect();
        assert_eq!(range, if *name == pawn { [50.0, 150.0] } else { [1.0, 2.0] }, "{name}");
    }
    let kept = weights(&format!("{one}weights.'*' = 7\n"));
    assert!(kept.iter().all(|(name, gene)| *name == pawn || gene.as_float() == Some(7.0)), "{kept:?}");
    assert_eq!(
        free(&format!("{classic}weights.{pawn} = 100\n")).len(),
        all - 1,
        "who keeps one lets the others go"
    );

    let arms = "model = 'chess/material'\narms = [{ name = 'a' }, { name = 'b', set.weights.'*' = [1, 2] }]\nweights.pawn = [1, 2]\n";
    assert_eq!(evolve(arms, &["--print"]).status, Some(0));
    let full = "model = 'chess/material'\nweights = { pawn = 1, knight = [1, 2], bishop = 3, rook = 5, queen = 9, '*' = 4 }\n";
    let refused = evolve(full, &["--print"]);
    assert!(refused.status == Some(1) && refused.err.contains("nothing left for \"*\""), "{}", refused.err);
}

#[test]
fn games_that_say_nothing_are_warned_of_early() {
    let players = "population = 14\ngenerations = 4\nlimits = 'depth=1'\n";
    let run = |content: &str| {
        let run = evolve(&format!("{players}{content}"), &["--json"]);
        assert_eq!(run.status, Some(0), "{}", run.err);
        run.err
    };
    let err = run("max_moves = 4\n");
    assert!(err.contains("warning: 50 of the first 50 games were cut off by max_moves"), "{err}");
    assert!(
        err.contains("raise max_moves = 4, or let material decide them with at_max_moves = \"material\""),
        "{err}"
    );
    assert_eq!(err.matches("warning").count(), 1, "{err}");

    let err = run("weights = { pawn = [1, 1], '*' = 0 }\nscale = 0\n");
    assert!(err.contains("of the first 50 games repeat another game move by move"), "{err}");
    assert!(err.contains("give [weights] wider ranges"), "{err}");

    let study = run("max_moves = 4\narms = [{ name = 'short' }, { name = 'long', set.max_moves = 150 }]\n");
    assert!(study.contains("warning: run short/1: "), "{study}");

    // Games that are decided are no reason to worry.
    let err = run("max_moves = 150\n");
    assert!(!err.contains("warning"), "{err}");
}

#[test]
fn genes_that_take_whole_numbers_only_are_refused_at_once() {
    let run = evolve(
        "method = 'meta-evolution'\npopulation = 2\ngenerations = 1\n[genes]\n\"search.quiescence\" = [0, 2]",
        &[],
    );
    assert_eq!(run.status, Some(1), "{}", run.out);
    assert!(run.err.contains("genes") && run.err.contains("quiescence"), "{}", run.err);
}

#[test]
fn weights_of_any_size_are_played() {
    let run = evolve(
        "population = 4\ngenerations = 2\npreset = 'full'\nlimits = 'depth=3'\nmax_moves = 30\n[weights]\n\"*\" = [0, 1e100]",
        &["--json"],
    );
    assert_eq!(run.status, Some(0), "{}", run.err);
}

#[test]
fn a_study_whose_arms_all_have_other_weights_can_be_read_again() {
    let lab = tempfile::tempdir().expect("a directory");
    let path = lab.path().join("mine.toml");
    let content = "population = 2\ngenerations = 1\nmax_moves = 2\narms = [{ name = 'a', set.model = 'chess/material' }, \
                   { name = 'b', set.model = 'chess/classic' }]";
    std::fs::write(&path, content).expect("a file");
    let [file, lab] = [path.as_path(), lab.path()].map(|path| path.to_str().expect("a path in UTF-8"));
    for words in
        ["evolve FILE --verify 1", "list", "show mine-1", "report mine-1 -o x.html", "evolve FILE --verify 1"]
    {
        let words = words.replace("FILE", file).replace("x.html", &format!("{lab}/x.html"));
        let run = gamete(words.split(' ').chain(["--lab", lab]));
        assert_eq!(run.status, Some(0), "{words}: {}", run.err);
    }
    let run = gamete(["show", "mine-1", "--player", "--lab", lab]);
    assert_eq!(run.status, Some(1), "{}", run.out);
    assert!(run.err.contains("mine-1/a"), "{}", run.err);
}
