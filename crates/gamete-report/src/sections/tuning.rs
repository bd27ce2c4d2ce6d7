use std::fmt::Write;

use gamete_lab::{BaselineView, Generation, Measure, ModelSlice, Recommended, TuningView};

use super::{MAX_GENES, left_out};
use crate::chart::{Axis, Lines, Plane, Point, Series, Size};
use crate::page::{Section, figure, figures, note, table};
use crate::subject::{Arm, Run, Subject};
use crate::text::{Escaped, count, fixed, percent};

/// What values came to that were sought from a start, whether they are better, and how to paste them back.
pub fn tuning(subject: &Subject) -> Option<Section> {
    let view = &subject.view;
    let tuning = view.tuning.as_ref()?;
    let mut text = values(tuning);
    text.push_str(&verification(subject));
    if let Some((arm, run)) = subject.single() {
        text.push_str(&traces(tuning, arm, run));
    }
    text.push_str(&landscape(subject));
    if let Some(training) = view.training_elo().filter(|elo| elo.is_finite()) {
        let gap = view.overfit_gap().map_or_else(String::new, |gap| {
            format!(", and the over-fit gap between the two {} Elo", fixed(gap, 1))
        });
        text.push_str(&note(&format!(
            "By the games that they were chosen by, the training, these values are {} Elo stronger{gap}.",
            fixed(training, 1)
        )));
    }
    for values in &tuning.texts {
        let _ = write!(
            text,
            "<details><summary>The values for {}</summary>\n<pre><code>{}</code></pre>\n</details>\n",
            values.form,
            Escaped(&values.text)
        );
    }
    let title = if tuning.is_finished { "Tuned values" } else { "Values so far" };
    Some(Section::new("tuning", title, text))
}

fn values(tuning: &TuningView) -> String {
    let is_sure = tuning.parameters.iter().any(|one| one.deviation.is_some());
    let column = |element: &str, text: &str| {
        if is_sure { format!("<{element}>{text}</{element}>") } else { String::new() }
    };
    let mut body = String::new();
    for one in &tuning.parameters {
        let decimals = if one.is_whole { 0 } else { 3 };
        let change = one.change().map_or_else(|| "–".to_owned(), |change| format!("{} %", fixed(change, 1)));
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"main\">{}</td>{}<td>{change}</td><td>{}</td><td>{}</td></tr>",
            Escaped(&one.name),
            fixed(one.start, decimals),
            fixed(one.value, decimals),
            column("td", &one.deviation.map_or_else(String::new, |number| fixed(number, decimals.max(1)))),
            fixed(one.min, decimals),
            fixed(one.max, decimals)
        );
    }
    let now = if tuning.is_finished { "tuned" } else { "now" };
    let head = format!(
        "<tr><th></th><th>original</th><th>{now}</th>{}<th>change</th><th>smallest</th><th>largest</th></tr>",
        column("th", "<abbr title=\"standard deviation, by the model of the search\">±</abbr>")
    );
    table(&head, &body)
}

/// What the model of the search expects around its result, two parameters at a time.
fn landscape(subject: &Subject) -> String {
    let view = &subject.view;
    let (slices, present) = match (&view.conclusion, &view.landscape) {
        (Some(found), _) => (&found.slices, None),
        (None, Some(landscape)) => (&landscape.slices, Some(landscape.games)),
        (None, None) => return String::new(),
    };
    if slices.is_empty() {
        return String::new();
    }
    let now = if present.is_some() { "now" } else { "tuned" };
    let plane = |slice: &ModelSlice| {
        let names = slice.genes.each_ref().map(|gene| gene.strip_prefix("options.").unwrap_or(gene));
        let about = format!("Elo over the original values by {} and {}", names[0], names[1]);
        let svg = Plane {
            about: &about,
            names,
            ranges: slice.ranges,
            values: &slice.elo,
            dots: &slice.tried,
            marks: [(slice.start, "original"), (slice.best, now)],
        }
        .svg();
        let step = Plane::step(&slice.elo);
        let caption = format!("{} and {}, bands of {step} Elo", Escaped(names[0]), Escaped(names[1]));
        figure(&caption, &svg)
    };
    let around = match present {
        None => "The landscape around the result, as the model of the search has it".to_owned(),
        Some(games) => format!(
            "The landscape around the best values so far, as the model of the search had it after {} games",
            count(games)
        ),
    };
    let words = format!(
        "{around}: Elo over the original values by two parameters, all others as {now}. \
         Blue is stronger than the original values, orange weaker; dots are some of the points that were tried, and far from them the model only guesses. \
         The parameters that matter most by this model are drawn, the most important ones first."
    );
    note(&words) + &figures("", &slices.iter().map(plane).collect::<String>())
}

/// Numbers of the search, and the values of each parameter, by games.
fn traces(tuning: &TuningView, arm: &Arm, run: &Run) -> String {
    let named = [
        (Measure::ELO, "Elo over the start that the search expects of its values, with one deviation"),
        (Measure::SCORE, "Score of the best of each generation against the start"),
        (Measure::STEP_SIZE, "Step size, relative to the ranges"),
    ];
    let of_measures = named.into_iter().filter_map(|(name, about)| {
        let deviation = format!("{}{name}", Measure::DEVIATION);
        let value = |row: &Generation| {
            Some((row.measure(name)?.best, row.measure(&deviation).map_or(0.0, |found| found.best)))
        };
        let start = (name == Measure::ELO).then_some(0.0).or((name == Measure::SCORE).then_some(0.5));
        trace(run, name, 0, about, Size::LARGE, start, value)
    });
    let mut of_measures: String = of_measures.collect();
    let mean = |row: &Generation| Some((row.measure(Measure::SCORE)?.mean?, 0.0));
    let about = "Score of all points of each generation against the start, on average";
    of_measures.extend(trace(run, "mean score", 0, about, Size::LARGE, Some(0.5), mean));
    let of_genes = tuning.parameters.iter().take(MAX_GENES).filter_map(|one| {
        let gene = one.gene?;
        let deviation = format!("{}{}", Measure::DEVIATION, arm.view.genes.get(gene)?);
        let value = |row: &Generation| {
            let spread = row.spread.get(gene)?;
            Some((spread.mean, row.measure(&deviation).map_or(spread.sd, |found| found.best)))
        };
        trace(run, &one.name, gene, &Escaped(&one.name).to_string(), Size::SMALL, Some(one.start), value)
    });
    let of_genes: String = of_genes.collect();
    let has_model = run.last().measures.iter().any(|measure| {
        let name = measure.name.strip_prefix(Measure::DEVIATION);
        name.is_some_and(|name| arm.view.genes.iter().any(|gene| gene == name))
    });
    let words = match (has_model, run.last_population.len()) {
        (true, _) => {
            "The values of each parameter by games. Bands reach one standard deviation to both sides of what the best value may be."
        }
        (false, 0 | 1) => "The values of each parameter by games.",
        (false, _) => {
            "The values of each parameter by games, on average over the points of a generation. Bands reach one standard deviation of these points to \
             both sides."
        }
    };
    let words = format!("{words} Dashed lines are the original values.");
    figures("large", &of_measures) + &note(&words) + &figures("", &of_genes) + &left_out(arm.view.genes.len())
}

/// A number with its deviation by games; nothing where no generation has it.
fn trace(
    run: &Run,
    name: &str,
    color: usize,
    caption: &str,
    size: Size,
    start: Option<f64>,
    value: impl Fn(&Generation) -> Option<(f64, f64)>,
) -> Option<String> {
    let mut games = 0;
    let mut points = Vec::new();
    for row in &run.generations {
        games += row.games;
        points.extend(value(row).map(|(y, deviation)| Point {
            x: games as f64,
            y,
            low: y - deviation,
            high: y + deviation,
        }));
    }
    let about = format!("{name} by games");
    let chart = Lines {
        about: &about,
        axis: Axis::Linear,
        unit: "",
        size,
        series: vec![Series { name: name.to_owned(), color, points: points.clone() }],
        mark: start.map(|start| (start, "original")),
    };
    (!points.is_empty()).then(|| figure(caption, &chart.over("game", &[])))
}

/// The games of the tuned values against the original ones.
fn verification(subject: &Subject) -> String {
    let view = &subject.view;
    let played: Vec<&BaselineView> = view.verification.iter().filter(|one| one.score.pairs > 0).collect();
    let Some(first) = played.first() else {
        return note(match view.conclusion {
            Some(_) => "The tuned values have not been verified by games against the original ones.",
            None => {
                "Values of the last generation; what they are worth is verified by games against the original ones when the \
                 search is over."
            }
        });
    };
    let mut body = String::new();
    for one in &played {
        let test = one.sprt.as_ref().map_or_else(String::new, |sprt| {
            let decision = if sprt.decision == "continue" { "no decision" } else { sprt.decision };
            format!("[{}, {}]: LLR {}, {decision}", sprt.elo0, sprt.elo1, fixed(sprt.llr, 2))
        });
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{} / {} / {}</td><td>{}</td><td class=\"main\">{}</td><td class=\"left\">{test}</td></tr>",
            Escaped(&one.limits.map_or_else(String::new, |limits| limits.to_string())),
            count(one.score.games()),
            count(one.score.wins),
            count(one.score.draws),
            count(one.score.losses),
            percent(one.score.share(), 1.0),
            super::elo_text(one),
        );
    }
    let missing = match played.iter().all(|one| one.is_complete()) {
        true => "",
        false => " Not all games are played yet: the command that ran the tune resumes them.",
    };
    let advice = match view.recommended() {
        Some(Recommended::Original) => {
            " Keep the original values: these games do not show the tuned ones to be better."
        }
        _ => "",
    };
    note(&format!(
        "The tuned values against the original ones, after the search, from openings that no trial started from ({}), in pairs of \
         games with colours reversed: <strong>{}</strong>.{advice} Elo has a 95 % interval over pairs.{missing}",
        Escaped(first.openings.as_deref().unwrap_or_default()),
        view.tuning_verdict()
    )) + &table(
        "<tr><th>limits</th><th>games</th><th>won / drawn / lost</th><th>score</th><th>Elo [95 % interval]</th>\
         <th class=\"left\">SPRT</th></tr>",
        &body,
    )
}
