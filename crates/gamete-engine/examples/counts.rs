//! Nodes from the start of checkers under the rules of the MIT report, to set beside its table.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Material, search};
use gamete_checkers::{Position, Rules};
use gamete_engine::{Limit, Quiescence, SearchSettings};
use gamete_game::{Game, Line};

fn row(name: &str, settings: &SearchSettings, depths: [u32; 3]) {
    let line = Line::new(Position::start().with_rules(Rules::MIT));
    let nodes = depths.map(|depth| search(settings, &line, &Material, &Limit::depth(depth)).nodes);
    println!("{name:40} {:>9} {:>9} {:>9}", nodes[0], nodes[1], nodes[2]);
}

fn main() {
    let depths = [4, 6, 8];
    let minimax = SearchSettings::minimax();
    let alpha_beta = SearchSettings { alpha_beta: true, ..minimax.clone() };
    let ordered = SearchSettings { own_weights: true, ..alpha_beta.clone() };
    let table = SearchSettings { table: true, table_equal_depth: false, ..minimax.clone() };
    row("minimax", &minimax, depths);
    row("alpha-beta", &alpha_beta, depths);
    row("alpha-beta, ordering", &ordered, depths);
    row("minimax, table", &table, depths);
    row(
        "minimax, table of equal depths",
        &SearchSettings { table_equal_depth: true, ..table.clone() },
        depths,
    );
    for (name, quiescence) in [("captures", Quiescence::Captures), ("extra plies", Quiescence::ExtraPlies)] {
        for (less, plies) in [(1, 1), (2, 2), (2, 4), (3, 3)] {
            let settings = SearchSettings { quiescence, quiescence_plies: plies, ..minimax.clone() };
            let name = format!("minimax to depth - {less}, then {plies} {name}");
            row(&name, &settings, depths.map(|depth| depth - less));
        }
        for less in [0, 1, 2] {
            let settings = SearchSettings {
                alpha_beta: true,
                own_weights: true,
                quiescence,
                quiescence_plies: less,
                ..table.clone()
            };
            row(&format!("combined, {name} for the last {less}"), &settings, depths.map(|d| d - less as u32));
        }
    }
    let best = SearchSettings {
        killers: true,
        history: true,
        iterative_deepening: true,
        pvs: true,
        ..ordered.clone()
    };
    row("ordering, killers, history, iterative", &best, depths);
    row("the same with a table", &SearchSettings { table: true, table_equal_depth: false, ..best }, depths);
}
