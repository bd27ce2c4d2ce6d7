//! The page and what its parts are wrapped in.

use std::fmt::Write;

use crate::sections;
use crate::subject::{Arm, Subject, Unit};
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
}

/// The page of an experiment.
pub fn page(subject: &Subject) -> String {
    let mut sections = Vec::new();
    if subject.view.is_study {
        sections.extend(sections::study(subject));
    }
    if let Some((arm, run)) = subject.single() {
        sections.extend(sections::single(subject, arm, run));
    }
    sections.extend(sections::games(subject));
    sections.push(sections::repeat(subject));
    document(&subject.view.id, &sections::head(subject), &sections)
}

/// The whole file.
pub fn document(title: &str, head: &str, sections: &[Section]) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
         <meta name=\"color-scheme\" content=\"light dark\" />\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\" />\n<title>{} – Gamete</title>\n<style>\n{}</style>\n</head>\n<body>\n",
        Escaped(title),
        include_str!("page.css")
    );
    html.push_str(head);
    html.push_str("<nav aria-label=\"Contents\">");
    for section in sections {
        let _ = write!(html, "<a href=\"#{}\">{}</a>", section.id, section.title);
    }
    html.push_str("</nav>\n<main>\n");
    for section in sections {
        let _ = write!(
            html,
            "<section id=\"{}\">\n<h2>{}</h2>\n{}\n</section>\n",
            section.id, section.title, section.body
        );
    }
    let _ = write!(
        html,
        "</main>\n<footer>Made by Gamete {}.</footer>\n<script>\n{}</script>\n</body>\n</html>\n",
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
