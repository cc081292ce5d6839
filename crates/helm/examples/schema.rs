//! Judges values by schemas: each line of the input is an object of a `Schema`
//! text and `Values`; each line of the output says what Helm would.

use std::io::BufRead as _;

use helm::{Data, json, schema};

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(row) = json::read(&line) else {
            continue;
        };
        let row = Data::of(&row);
        let values = row.get("Values").cloned().unwrap_or_default();
        let said = match schema::check_single(row.text_at("Schema").as_bytes(), &values) {
            Ok(None) => "ok".to_owned(),
            Ok(Some(why)) => format!("not judged: {why}"),
            Err(message) => message,
        };
        println!(
            "{}",
            json::write(&said.into(), json::Style::default()).unwrap_or_default()
        );
    }
}
