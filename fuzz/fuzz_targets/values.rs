//! Values of any chart and user: `user.yaml` among the chart's files holds the
//! user's, `set` lines of `--set`.
#![no_main]

use helm::strvals::{Form, assign};
use helm::{Data, dependencies, load, values};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut files = fluxlint_fuzz::chart(text);
    let mut user = Data::map();
    if let Some(at) = files.iter().position(|file| file.name == "set") {
        for (number, line) in files.swap_remove(at).data.split(|b| *b == b'\n').enumerate() {
            let forms = [Form::Typed, Form::Text, Form::Json, Form::Literal];
            let _ = assign(&mut user, line, forms[number % forms.len()]);
        }
    }
    if let Some(at) = files.iter().position(|file| file.name == "user.yaml") {
        let mut file = files.swap_remove(at);
        file.name = "values.yaml".to_owned();
        let bare = helm::chart::File {
            name: "Chart.yaml".to_owned(),
            data: b"name: user\nversion: 1.0.0\n".to_vec(),
        };
        if let Ok(chart) = load::files(vec![bare, file]) {
            user = chart.values;
        }
    }
    let Ok(mut chart) = load::files(files) else {
        return;
    };
    let _ = values::merge(&chart, &user);
    if dependencies::enable(&mut chart, &user).is_ok() {
        let _ = dependencies::check(&chart);
        let _ = dependencies::import_values(&mut chart);
        let _ = values::coalesce(&chart, &user, &mut Vec::new());
    }
});
