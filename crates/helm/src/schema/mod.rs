//! `values.schema.json`: what a chart demands of its values.
//!
//! Drafts 4, 6, 7, 2019-09 and 2020-12 as Helm's library judges them, with its
//! words, its regular expressions (Go's) and its formats. Nothing is fetched:
//! a schema that refers to another one on the network is not judged, which is
//! a warning.

mod address;
mod compile;
mod fault;
mod format;
mod rule;
mod shape;
mod validate;

use gotmpl::value::Map;

use crate::chart::Chart;
use crate::data::Data;
use rule::Rules;

/// Why a schema judges no values.
#[derive(Clone, Debug)]
enum Problem {
    /// Helm refuses it, in its words.
    Refused(String),
    /// What is missing to judge.
    Unjudged(String),
}

/// The schemas of a chart and of those that it depends on, compiled.
#[derive(Debug, Default)]
pub struct Schemas {
    name: String,
    own: Option<Result<Rules, Problem>>,
    below: Vec<Schemas>,
}

impl Schemas {
    /// Compiles the schemas of a chart whose dependencies are settled.
    pub fn new(chart: &Chart) -> Self {
        Schemas {
            name: chart.name(),
            own: chart.schema.as_deref().map(compile::compile),
            below: chart.dependencies.iter().map(Schemas::new).collect(),
        }
    }

    /// No chart has one.
    pub fn is_empty(&self) -> bool {
        self.own.is_none() && self.below.iter().all(Schemas::is_empty)
    }

    /// Judges the values of the chart, those of the charts below it among
    /// them. Gives which schemas were not judged, and why.
    ///
    /// # Errors
    ///
    /// Values that a schema refuses, and schemas that are none, in Helm's
    /// words.
    pub fn check(&self, values: &Map) -> Result<Vec<String>, String> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let (mut refused, mut warnings) = (String::new(), Vec::new());
        self.judge(
            &Data::of(&values.clone().into()),
            &mut refused,
            &mut warnings,
        );
        match refused.is_empty() {
            true => Ok(warnings),
            false => Err(format!(
                "values don't meet the specifications of the schema(s) in the following \
                 chart(s):\n{refused}"
            )),
        }
    }

    fn judge(&self, values: &Data, refused: &mut String, warnings: &mut Vec<String>) {
        let judged = match &self.own {
            None => Ok(()),
            Some(Ok(rules)) => rules.judge(values),
            Some(Err(problem)) => Err(problem.clone()),
        };
        match judged {
            Ok(()) => {}
            Err(Problem::Refused(message)) => {
                refused.push_str(&format!("{}:\n{message}", self.name));
            }
            Err(Problem::Unjudged(why)) => warnings.push(format!(
                "values.schema.json of chart {} is not judged: {why}",
                self.name
            )),
        }
        for one in &self.below {
            let found = match values.get(&one.name) {
                None | Some(Data::Null) => continue,
                Some(Data::Map(_)) => {
                    if let Some(own) = values.get(&one.name) {
                        one.judge(own, refused, warnings);
                    }
                    continue;
                }
                Some(Data::Bool(_)) => "bool",
                Some(Data::Int(_)) => "int64",
                Some(Data::Float(_)) => "float64",
                Some(Data::String(_)) => "string",
                Some(Data::List(_)) => "[]interface {}",
            };
            refused.push_str(&format!(
                "{}:\ninvalid type for values: expected object (map), got {found}\n",
                one.name
            ));
        }
    }
}

/// Judges values by one schema, without a chart.
///
/// # Errors
///
/// As [`Schemas::check`], of the one schema alone.
pub fn check_single(schema: &[u8], values: &Data) -> Result<Option<String>, String> {
    let judged = compile::compile(schema).and_then(|rules| rules.judge(values));
    match judged {
        Ok(()) => Ok(None),
        Err(Problem::Unjudged(why)) => Ok(Some(why)),
        Err(Problem::Refused(message)) => Err(message),
    }
}

#[cfg(test)]
mod tests;
