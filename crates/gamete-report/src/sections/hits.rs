use std::fmt::Write;

use gamete_lab::{Generation, Measure};

use super::measured::{Curve, curves_svg, last_generation, most_of, percent_of, range_text};
use crate::chart::{Series, Size};
use crate::page::{Section, figure, figures, note, table};
use crate::published::HITS;
use crate::subject::{Arm, Subject};
use crate::text::{Escaped, count, fixed};

/// The hits of an arm by generation, in per cent of the positions.
struct Hits {
    best: Curve,
    test: Option<Curve>,
    mean: Option<Curve>,
    /// Positions to learn from, and the others.
    positions: [f64; 2],
}

impl Hits {
    fn of(arm: &Arm) -> Option<Self> {
        let best = |row: &Generation, name: &str| {
            let measure = row.measure(name)?;
            percent_of(measure, measure.best)
        };
        let mean = |row: &Generation| {
            let measure = row.measure(Measure::HITS)?;
            percent_of(measure, measure.mean?)
        };
        Some(Self {
            best: Curve::new("best", 0, arm, |row| best(row, Measure::HITS))?,
            test: Curve::new("best, test", 1, arm, |row| best(row, Measure::TEST_HITS)),
            mean: Curve::new("mean", 2, arm, mean),
            positions: [Measure::HITS, Measure::TEST_HITS].map(|name| most_of(arm, name)),
        })
    }

    fn figure(self, arm: &Arm) -> String {
        let last = f64::from(HITS.generations);
        let mut dots: Vec<Series> = Vec::new();
        // Beside a short run they would be far out.
        if last_generation(arm) >= HITS.generations / 2 {
            dots.push(self.best.published(&[(last, HITS.best)]));
            dots.extend(self.test.as_ref().map(|test| test.published(&[(last, HITS.test)])));
        }
        let mean = [(1.0, HITS.first_mean), (last, HITS.mean)];
        let mean = &mean[..if dots.is_empty() { 1 } else { 2 }];
        dots.extend(self.mean.as_ref().map(|curve| curve.published(mean)));
        let about = format!("Hits of {} in per cent, by generation", arm.title);
        let curves: Vec<Curve> = [self.best].into_iter().chain(self.test).chain(self.mean).collect();
        figure(
            &format!("{}: hits", Escaped(&arm.title)),
            &curves_svg(&about, " %", Size::WIDE, &curves, &dots),
        )
    }
}

/// How often players choose the experts' moves, by generation, beside the published numbers.
pub fn hits(subject: &Subject) -> Option<Section> {
    let arms: Vec<(&Arm, Hits)> = subject.arms.iter().filter_map(|arm| Some((arm, Hits::of(arm)?))).collect();
    let (_, first) = arms.first()?;
    let [train, test] = first.positions.map(|number| count(number as u64));
    let mut text = note(&format!(
        "A hit is the expert’s move, chosen by looking one ply ahead: of the best player of each generation and on average \
         over its population, in the {train} positions that are learned from; and of the same best player in {test} others, which \
         decide nothing. Lines are means over runs, thin lines single runs, dots what the paper says of its first run with 5,000 \
         positions each (David, van den Herik, Koppel and Netanyahu 2014)."
    ));
    text.push_str(&numbers(&arms));
    let charts: String = arms.into_iter().map(|(arm, hits)| hits.figure(arm)).collect();
    text.push_str(&figures("one", &charts));
    Some(Section::new("hits", "Hits by generation", text))
}

/// What a curve has, if there is one.
fn values(curve: &Option<Curve>, of: fn(&Curve) -> Vec<f64>) -> Vec<f64> {
    curve.as_ref().map_or_else(Vec::new, of)
}

fn numbers(arms: &[(&Arm, Hits)]) -> String {
    let mut head = String::from("<tr><th></th>");
    for (arm, _) in arms {
        let _ = write!(
            head,
            "<th class=\"edge\">{}, {} generations</th>",
            Escaped(&arm.title),
            last_generation(arm)
        );
    }
    let _ = write!(head, "<th class=\"edge theirs\">published, {} generations</th></tr>", HITS.generations);
    type Row = (&'static str, fn(&Hits) -> Vec<f64>, f64);
    let rows: [Row; 4] = [
        ("mean of the first generation", |hits| values(&hits.mean, Curve::first), HITS.first_mean),
        ("mean of the last generation", |hits| values(&hits.mean, Curve::last), HITS.mean),
        ("best of the last generation", |hits| hits.best.last(), HITS.best),
        ("the same in other positions", |hits| values(&hits.test, Curve::last), HITS.test),
    ];
    let mut body = String::new();
    for (name, of, published) in rows {
        let _ = write!(body, "<tr><th scope=\"row\">{name}</th>");
        for (_, hits) in arms {
            let _ = write!(body, "<td class=\"main edge\">{}</td>", range_text(&of(hits), 1, " %"));
        }
        let _ = writeln!(body, "<td class=\"edge theirs\">{} %</td></tr>", fixed(published, 1));
    }
    table(&head, &body)
}
