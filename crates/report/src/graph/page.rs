//! The graph as a page: the drawing, with a search and the way of what is
//! clicked.

use super::{Grouping, Picture, svg};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Pictures as an HTML page that needs nothing else, ending in a line break.
/// Without its script it is still the drawing.
pub fn page(pictures: &[Picture], grouping: Grouping) -> String {
    let drawing = svg(pictures, grouping);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>fluxlint graph</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<header><b>fluxlint graph</b> \
         <input id=\"search\" type=\"search\" placeholder=\"name\" aria-label=\"search\"> \
         <span id=\"told\">Arrows lead from what comes first to what waits for it. Click a component \
         for all that comes before and after it.</span></header>\n<main>\n{drawing}</main>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}
