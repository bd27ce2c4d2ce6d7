use std::fmt::Write;

use gamete_lab::{ScreenedParameter, ScreeningView};

use crate::terminal::grouped;

/// What a step of each parameter is worth and what that means for a tune, for people.
pub fn screening_text(screening: &ScreeningView) -> String {
    let ScreeningView { games, planned_games, parameters, spsa, .. } = screening;
    let width = parameters.iter().map(|one| one.name.chars().count()).max().unwrap_or(0).max(9);
    let mut text = format!(
        "Elo of a step by {} games, with 95 % intervals, and what is proposed for {}:\n\n\
         {:<width$} {:>9} {:>8} {:>16} {:>16}  {:<8} {:>8} {:>8}\n",
        grouped(*games),
        grouped(*planned_games),
        "parameter",
        "value",
        "step",
        "step up",
        "either way",
        "worth it",
        "c_end",
        "r_end"
    );
    for one in parameters {
        let ScreenedParameter { name, start, step, worth, proposed_step, proposed_rate, .. } = one;
        let elo = |elo: f64, precision: f64| format!("{:+.1} ± {precision:.1}", elo + 0.0);
        let _ = writeln!(
            text,
            "{name:<width$} {start:>9} {step:>8} {:>16} {:>16}  {:<8} {proposed_step:>8} {proposed_rate:>8}",
            elo(one.slope, one.slope_precision),
            elo(-one.curvature, one.curvature_precision),
            worth.as_str()
        );
    }
    let planned: f64 =
        parameters.iter().map(|one| one.planned_precision).sum::<f64>() / parameters.len().max(1) as f64;
    let _ = write!(
        text,
        "\nprecision: a match of {} games has an interval of ± {:.1} Elo; a step up would be known to ± {planned:.1} Elo, \
         and shows 5 Elo in about {} games\n\
         -method pairs has nothing to set; -method spsa a_ratio=0.1 has A = {:.0} of {} iterations, would leave {:.0} % of the distance to an optimum, \
         and lose {:.1} Elo by the noise of games\n\
         proposed: -method {}\n",
        grouped(*planned_games),
        screening.planned_match_precision,
        grouped(screening.games_for_five_elo),
        spsa.stability,
        grouped(spsa.iterations),
        100.0 * spsa.distance_left,
        spsa.noise_elo,
        screening.method
    );
    text
}
