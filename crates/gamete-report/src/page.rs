//! The page and what its parts are wrapped in.

use std::fmt::Write;

use crate::sections;
use crate::subject::{Arm, PipelineSubject, Subject, Unit};
use crate::text::Escaped;

/// A part of the page with a place in its contents.
pub struct Section {
    pub id: &'static str,
    pub title: &'static str,
    pub body: String,
}

impl Section {
    pub fn new(id: &'static str, title: &'static str, body: String) -> Self {
        Self { id, title, body }
    }

    /// As HTML, with a prefix to its place and a heading of a level.
    fn html(&self, prefix: &str, level: &str) -> String {
        let Self { id, title, body } = self;
        format!("<section id=\"{prefix}{id}\">\n<{level}>{title}</{level}>\n{body}\n</section>\n")
    }
}

/// The page of an experiment.
pub fn page(subject: &Subject) -> String {
    let mut sections = results(subject);
    sections.extend(sections::games(&subject.games));
    sections.push(sections::repeat(subject));
    document(&subject.view.id, &sections::head(subject), &sections)
}

/// The page of a pipeline: one stage after another.
pub fn pipeline_page(pipeline: &PipelineSubject) -> String {
    let mut contents = String::new();
    let mut main = String::new();
    for (index, stage) in pipeline.stages.iter().enumerate() {
        let id = format!("stage-{}", index + 1);
        let name = Escaped(&stage.name);
        let _ = write!(contents, "<span><a href=\"#{id}\"><b>{}. {name}</b></a>", index + 1);
        let _ = write!(main, "<section id=\"{id}\" class=\"stage\">\n<h2>{}. {name}</h2>\n", index + 1);
        main.push_str(&sections::stage(stage));
        for section in stage.subject.iter().flat_map(results) {
            let _ = write!(contents, "<a href=\"#{id}-{}\">{}</a>", section.id, section.title);
            main.push_str(&section.html(&format!("{id}-"), "h3"));
        }
        contents.push_str("</span>");
        main.push_str("</section>\n");
    }
    let games = sections::games(&pipeline.games);
    for section in games.into_iter().chain([sections::repeat_pipeline(&pipeline.view)]) {
        let _ = write!(contents, "<a href=\"#{}\">{}</a>", section.id, section.title);
        main.push_str(&section.html("", "h2"));
    }
    document_of(&pipeline.view.id, &sections::pipeline_head(pipeline), &contents, &main)
}

/// What came out of an experiment.
fn results(subject: &Subject) -> Vec<Section> {
    let mut sections = Vec::new();
    if subject.view.is_study {
        sections.extend(sections::study(subject));
    }
    if let Some((arm, run)) = subject.single() {
        sections.extend(sections::single(subject, arm, run));
    }
    sections
}

/// The whole file of a head and sections.
pub fn document(title: &str, head: &str, sections: &[Section]) -> String {
    let link = |section: &Section| format!("<a href=\"#{}\">{}</a>", section.id, section.title);
    let contents: String = sections.iter().map(link).collect();
    let main: String = sections.iter().map(|section| section.html("", "h2")).collect();
    document_of(title, head, &contents, &main)
}

/// The whole file, of its parts as HTML.
fn document_of(title: &str, head: &str, contents: &str, main: &str) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
         <meta name=\"color-scheme\" content=\"light dark\" />\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\" />\n<title>{} – Gamete</title>\n<style>\n{}</style>\n</head>\n<body>\n",
        Escaped(title),
        include_str!("page.css")
    );
    let _ = write!(
        html,
        "{head}<nav aria-label=\"Contents\">{contents}</nav>\n<main>\n{main}</main>\n<footer>Made by Gamete {}.</footer>\n<script>\n{}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        include_str!("page.js")
    );
    html
}

/// A chart with what it shows.
pub fn figure(caption: &str, svg: &str) -> String {
    format!("<figure><figcaption>{caption}</figcaption>{svg}</figure>\n")
}

/// Charts beside each other.
pub fn figures(class: &str, figures: &str) -> String {
    format!("<div class=\"figures {class}\">\n{figures}</div>\n")
}

/// A line of explanation.
pub fn note(text: &str) -> String {
    format!("<p class=\"note\">{text}</p>\n")
}

/// A table that can be pushed aside where it is too wide, and up and down where it is too long.
pub fn table(head: &str, body: &str) -> String {
    let long = if body.matches("<tr>").count() > 30 { " long" } else { "" };
    format!(
        "<div class=\"wide{long}\" tabindex=\"0\"><table>\n<thead>{head}</thead>\n<tbody>\n{body}</tbody>\n</table></div>\n"
    )
}

/// Something in the papers' unit and as it is, and the switch between them; only as it is where there is no pawn.
pub fn in_units(arm: Option<&Arm>, draw: impl Fn(Unit) -> String) -> String {
    match arm.and_then(Arm::pawn) {
        Some(pawn) => format!(
            "<p class=\"switch\"><button type=\"button\" data-unit=\"pawn\" aria-pressed=\"true\">pawn = 100</button>\
             <button type=\"button\" data-unit=\"raw\" aria-pressed=\"false\">raw values</button></p>\n\
             <div class=\"in-pawns\">\n{}</div>\n<div class=\"in-raw\">\n{}</div>\n",
            draw(pawn),
            draw(Unit::Raw)
        ),
        None => draw(Unit::Raw),
    }
}
