use gamete_lab::{HistoryPoint, MatchView};

use crate::chart::{Axis, Lines, Point, Series, Size};
use crate::page::{Section, figure, figures, note};
use crate::text::{Escaped, fixed};

/// Elo and the test against the games played, of two contestants.
pub fn history(view: &MatchView) -> Option<Section> {
    let [first, second] = view.contestants.as_slice() else { return None };
    // The first few games say nothing, and their intervals would fill the chart.
    let settled = view.history.iter().filter(|point| point.elo_low.is_finite() && point.elo_high.is_finite());
    let point = |point: &HistoryPoint| Point {
        x: point.games as f64,
        y: point.elo,
        low: point.elo_low,
        high: point.elo_high,
    };
    let points: Vec<Point> = settled.map(point).collect();
    let skip = points.len() / 20;
    let elo = Lines {
        about: "Elo of the first contestant by games played, with its 95 % interval",
        axis: Axis::Linear,
        unit: "",
        size: Size::LARGE,
        series: vec![Series { name: "Elo".to_owned(), color: 0, points: points[skip..].to_vec() }],
        mark: Some((0.0, "equal")),
    };
    let mut text =
        note("The band is the 95 % interval at that moment. Where everything was won or lost there is none.");
    let caption = format!("Elo of {} over {}", Escaped(&first.name), Escaped(&second.name));
    let mut charts = figure(&caption, &elo.over("game", &[]));
    if let Some(sprt) = &view.sprt {
        let line = |name: &str, color, value: &dyn Fn(&HistoryPoint) -> f64| Series {
            name: name.to_owned(),
            color,
            points: view.history.iter().map(|point| Point::new(point.games as f64, value(point))).collect(),
        };
        let llr = Lines {
            about: "The logarithm of the likelihood ratio by games played",
            axis: Axis::Linear,
            unit: "",
            size: Size::LARGE,
            series: vec![
                line("LLR", 0, &|point| point.llr.unwrap_or(f64::NAN)),
                line("H1", 1, &|_| sprt.upper),
                line("H0", 2, &|_| sprt.lower),
            ],
            mark: None,
        };
        charts.push_str(&figure("Log-likelihood ratio of the test", &llr.over("game", &[])));
        text.push_str(&note(&format!(
            "H1 (at least {} Elo) is accepted at {}, H0 (at most {}) at {}; the ratio is {}.",
            sprt.elo1,
            fixed(sprt.upper, 2),
            sprt.elo0,
            fixed(sprt.lower, 2),
            fixed(sprt.llr, 2)
        )));
    }
    text.push_str(&figures("large", &charts));
    Some(Section::new("history", "How it went", text))
}
