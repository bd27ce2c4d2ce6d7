use gamete_grid::{TimedGames, WorkerReport};

use crate::terminal::{counted, grouped};

/// What a coordinator knows of its workers, a line for each.
pub fn worker_lines(workers: &[WorkerReport]) -> Vec<String> {
    let width = workers.iter().map(|worker| worker.name.chars().count()).max().unwrap_or(0);
    workers.iter().map(|worker| format!("{:<width$}  {}", worker.name, parts(worker).join(", "))).collect()
}

fn parts(worker: &WorkerReport) -> Vec<String> {
    let WorkerReport { silent, told, held, right, refused, games, residual, .. } = worker;
    let mut parts =
        vec![format!("{} counted", counted(*told, "outcome")), format!("seen {} ago", span(*silent))];
    if *held > 0 {
        parts.push(format!("{} wait to be checked", grouped(*held as u64)));
    }
    if *right > 0 {
        parts.push(format!("found right {}", counted(*right, "time")));
    }
    if games.count() > 0 {
        let TimedGames { wins, draws, losses, crashes, time_losses } = games;
        parts.push(format!("games +{wins} ={draws} -{losses}"));
        parts.extend(residual.map(|residual| format!("residual {residual:.1}")));
        parts.push(format!("{crashes} crashed"));
        parts.push(format!("{time_losses} lost on time"));
    }
    if *refused {
        parts.push("was WRONG and gets no more".to_owned());
    } else if worker.is_suspect() {
        parts.push("LOOK at this machine".to_owned());
    }
    parts
}

/// A time in its largest unit.
fn span(seconds: f64) -> String {
    match seconds {
        ..120.0 => format!("{seconds:.0} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.0} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_what_there_is_to_say() {
        let quiet = WorkerReport {
            id: "1".to_owned(),
            name: "attic".to_owned(),
            concurrency: 2,
            silent: 2.4,
            told: 1_200,
            held: 0,
            right: 0,
            refused: false,
            games: TimedGames::default(),
            residual: None,
            stands_out: false,
        };
        let games = TimedGames { wins: 3, draws: 4, losses: 5, crashes: 4, time_losses: 0 };
        let slow = WorkerReport {
            name: "x".to_owned(),
            games,
            residual: Some(2.25),
            silent: 300.0,
            ..quiet.clone()
        };
        let wrong = WorkerReport { refused: true, held: 2, right: 1, silent: 9_000.0, ..quiet.clone() };
        assert_eq!(
            worker_lines(&[quiet, slow, wrong]),
            [
                "attic  1,200 outcomes counted, seen 2 s ago",
                "x      1,200 outcomes counted, seen 5 min ago, games +3 =4 -5, residual 2.2, 4 crashed, 0 lost on time, \
                 LOOK at this machine",
                "attic  1,200 outcomes counted, seen 2 h ago, 2 wait to be checked, found right 1 time, was WRONG and gets no \
                 more",
            ]
        );
    }
}
