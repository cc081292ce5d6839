//! Values against rules, in the order in which Helm's library asks.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Problem;
use super::fault::{Fault, Kind, count, english, single, singles, text};
use super::format;
use super::rule::{
    Demand, Found, Id, Items, More, Number, Rule, Rules, equal, misfit, number, type_bit,
};
use crate::data::Data;
use crate::decimal::Decimal;

/// Rules that are asked, all in all.
const STEPS: usize = 5_000_000;
/// Rules inside each other.
const DEEPEST: usize = 700;

/// Judging takes too much.
struct TooMuch;

type Judged<T> = Result<T, TooMuch>;

impl Rules {
    /// Judges a document.
    pub fn judge(&self, values: &Data) -> Result<(), Problem> {
        let mut judge = Judge {
            rules: &self.0,
            at: Vec::new(),
            scope: Vec::new(),
            steps: STEPS,
        };
        let mut left = match self.0.first() {
            Some(rule) => Left::of(values, rule, false),
            None => Left::default(),
        };
        match judge.run(0, values, 0, &mut left) {
            Ok(None) => Ok(()),
            Ok(Some(fault)) => Err(Problem::Refused(format!("{}\n", text(fault)))),
            Err(TooMuch) => Err(Problem::Unjudged("judging takes too long".to_owned())),
        }
    }
}

/// Keys and indexes that nothing has looked at yet; nothing where nobody asks.
#[derive(Clone, Debug, Default)]
struct Left {
    keys: BTreeSet<Arc<[u8]>>,
    items: BTreeSet<usize>,
}

impl Left {
    fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.items.is_empty()
    }

    /// What the rule, or who asks for it, wants to know of the value.
    fn of(value: &Data, rule: &Rule, asked: bool) -> Self {
        let mut left = Left::default();
        match value {
            Data::Map(entries)
                if rule.more_properties.is_none()
                    && (asked || rule.unevaluated_properties.is_some()) =>
            {
                left.keys = entries.keys().cloned().collect();
            }
            Data::List(items) if asked || rule.unevaluated_items.is_some() => {
                let all = rule.rest.is_some()
                    || rule.more_items.is_some()
                    || matches!(rule.items, Items::All(_));
                let first = match &rule.items {
                    Items::Each(each) => each.len(),
                    _ => rule.prefix.len(),
                };
                if !all {
                    left.items = (first..items.len()).collect();
                }
            }
            _ => {}
        }
        left
    }

    fn merge(&mut self, other: &Left) {
        self.keys.retain(|key| other.keys.contains(key));
        self.items.retain(|at| other.items.contains(at));
    }
}

struct Judge<'r> {
    rules: &'r [Rule],
    /// Keys and indexes down to the value.
    at: Vec<String>,
    /// Rules that are being asked, each with the depth of its value.
    scope: Vec<(Id, usize)>,
    steps: usize,
}

impl<'r> Judge<'r> {
    /// Asks a rule of a value at a depth.
    fn run(
        &mut self,
        id: Id,
        value: &Data,
        depth: usize,
        left: &mut Left,
    ) -> Judged<Option<Fault>> {
        self.steps = self.steps.checked_sub(1).ok_or(TooMuch)?;
        let Some(rule) = self.rules.get(id) else {
            return Ok(None);
        };
        if self.scope.len() > DEEPEST {
            return Err(TooMuch);
        }
        match rule.verdict {
            Some(true) => return Ok(None),
            Some(false) => return Ok(Some(Fault::new(&self.at, "false schema"))),
            None => {}
        }
        let same = self.scope.iter().rev().take_while(|(_, own)| *own == depth);
        if same.clone().any(|(own, _)| *own == id) {
            return Ok(Some(Fault::new(
                &self.at,
                "the schema refers to itself endlessly",
            )));
        }
        self.scope.push((id, depth));
        let found = self.ask(rule, value, depth, left);
        self.scope.pop();
        Ok(Fault::join(&self.at, found?))
    }

    fn ask(
        &mut self,
        rule: &'r Rule,
        value: &Data,
        depth: usize,
        left: &mut Left,
    ) -> Judged<Found> {
        if let Some(message) = scalar_fault(rule, value) {
            return Ok(vec![Fault::new(&self.at, message)]);
        }
        let mut found = Found::new();
        if let Some(id) = rule.reference {
            found.extend(self.refer(id, value, depth, left)?);
            if rule.draft < 2019 {
                return Ok(found);
            }
        }
        match value {
            Data::Map(_) => self.object(rule, value, depth, left, &mut found)?,
            Data::List(items) => self.list(rule, items, depth, left, &mut found)?,
            Data::String(text) => self.string(rule, text, &mut found),
            Data::Int(_) | Data::Float(_) => self.number(rule, value, &mut found),
            Data::Null | Data::Bool(_) => {}
        }
        if let Some(id) = rule.late_reference {
            found.extend(self.refer(id, value, depth, left)?);
        }
        self.choose(rule, value, depth, left, &mut found)?;
        self.unevaluated(rule, value, depth, left, &mut found)?;
        Ok(found)
    }

    /// Asks another rule of the same value.
    fn same(
        &mut self,
        id: Id,
        value: &Data,
        depth: usize,
        left: &mut Left,
    ) -> Judged<Option<Fault>> {
        let mut own = match self.rules.get(id) {
            Some(rule) => Left::of(value, rule, !left.is_empty()),
            None => Left::default(),
        };
        // A schema that is `true` has looked at nothing.
        if self
            .rules
            .get(id)
            .is_some_and(|rule| rule.verdict.is_some())
            && !left.is_empty()
        {
            own = left.clone();
        }
        let found = self.run(id, value, depth, &mut own)?;
        if found.is_none() {
            left.merge(&own);
        }
        Ok(found)
    }

    /// Asks a rule of a value inside.
    fn inner(&mut self, id: Id, value: &Data, step: String, depth: usize) -> Judged<Option<Fault>> {
        let mut own = match self.rules.get(id) {
            Some(rule) => Left::of(value, rule, false),
            None => Left::default(),
        };
        self.at.push(step);
        let found = self.run(id, value, depth + 1, &mut own);
        self.at.pop();
        found
    }

    fn refer(
        &mut self,
        id: Id,
        value: &Data,
        depth: usize,
        left: &mut Left,
    ) -> Judged<Option<Fault>> {
        let found = self.same(id, value, depth, left)?;
        Ok(found.map(|fault| {
            Fault::new(&self.at, "validation failed")
                .of_kind(Kind::Reference)
                .because(fault.parts())
        }))
    }

    fn fault(&self, found: &mut Found, message: impl Into<String>) {
        found.push(Fault::new(&self.at, message));
    }

    fn object(
        &mut self,
        rule: &'r Rule,
        value: &Data,
        depth: usize,
        left: &mut Left,
        found: &mut Found,
    ) -> Judged<()> {
        let Data::Map(entries) = value else {
            return Ok(());
        };
        let size = i64::try_from(entries.len()).unwrap_or(i64::MAX);
        self.bounds(
            found,
            size,
            ("minProperties", rule.min_properties),
            ("maxProperties", rule.max_properties),
        );
        let has = |name: &String| entries.contains_key(name.as_bytes());
        let missing = |names: &[String]| -> Vec<String> {
            names.iter().filter(|name| !has(name)).cloned().collect()
        };
        match missing(&rule.required).as_slice() {
            [] => {}
            [one] => self.fault(found, format!("missing property {}", single(one))),
            names => self.fault(found, format!("missing properties {}", singles(names))),
        }
        let demanded = |name: &String, names: &[String]| {
            let missing = missing(names);
            (!missing.is_empty()).then(|| {
                format!(
                    "properties {} required, if {} exists",
                    singles(&missing),
                    single(name)
                )
            })
        };
        for (name, demand) in rule.dependencies.iter().filter(|(name, _)| has(name)) {
            match demand {
                Demand::Names(names) => {
                    if let Some(message) = demanded(name, names) {
                        self.fault(found, message);
                    }
                }
                Demand::Rule(id) => found.extend(self.same(*id, value, depth, left)?),
            }
        }
        self.members(rule, value, depth, left, found)?;
        if let Some(id) = rule.property_names {
            self.property_names(id, value, found)?;
        }
        for (_, id) in rule.dependent_schemas.iter().filter(|(name, _)| has(name)) {
            found.extend(self.same(*id, value, depth, left)?);
        }
        for (name, names) in rule.dependent_required.iter().filter(|(name, _)| has(name)) {
            if let Some(message) = demanded(name, names) {
                self.fault(found, message);
            }
        }
        Ok(())
    }

    fn members(
        &mut self,
        rule: &'r Rule,
        value: &Data,
        depth: usize,
        left: &mut Left,
        found: &mut Found,
    ) -> Judged<()> {
        let Data::Map(entries) = value else {
            return Ok(());
        };
        let mut refused = Vec::new();
        for (key, item) in entries {
            let name = String::from_utf8_lossy(key).into_owned();
            let mut known = false;
            if let Some(id) = rule.properties.get(&name) {
                known = true;
                found.extend(self.inner(*id, item, name.clone(), depth)?);
            }
            for (regexp, id) in &rule.patterns {
                if regexp.is_match(key) {
                    known = true;
                    found.extend(self.inner(*id, item, name.clone(), depth)?);
                }
            }
            if !known {
                match rule.more_properties {
                    None => continue,
                    Some(More::Allowed) => {}
                    Some(More::Refused) => refused.push(name),
                    Some(More::Rule(id)) => found.extend(self.inner(id, item, name, depth)?),
                }
            }
            left.keys.remove(key);
        }
        if !refused.is_empty() {
            let names = singles(&refused);
            self.fault(found, format!("additional properties {names} not allowed"));
        }
        Ok(())
    }

    fn property_names(&mut self, id: Id, value: &Data, found: &mut Found) -> Judged<()> {
        let Data::Map(entries) = value else {
            return Ok(());
        };
        for key in entries.keys() {
            // A name is judged as a document of its own.
            let (at, scope) = (
                std::mem::take(&mut self.at),
                std::mem::take(&mut self.scope),
            );
            let name = Data::String(key.clone());
            let fault = self.run(id, &name, 0, &mut Left::default());
            (self.at, self.scope) = (at, scope);
            if let Some(fault) = fault? {
                let name = single(&String::from_utf8_lossy(key));
                let whole = Fault::new(&[], format!("invalid propertyName {name}"));
                found.push(whole.because(fault.parts()));
            }
        }
        Ok(())
    }

    fn bounds(
        &self,
        found: &mut Found,
        got: i64,
        (least_name, least): (&str, Option<i64>),
        (most_name, most): (&str, Option<i64>),
    ) {
        let mut say = |name: &str, want: i64| {
            let message = format!("{name}: got {}, want {}", count(got), count(want));
            self.fault(found, message);
        };
        if let Some(want) = least.filter(|want| got < *want) {
            say(least_name, want);
        }
        if let Some(want) = most.filter(|want| got > *want) {
            say(most_name, want);
        }
    }

    fn list(
        &mut self,
        rule: &'r Rule,
        items: &[Data],
        depth: usize,
        left: &mut Left,
        found: &mut Found,
    ) -> Judged<()> {
        let size = i64::try_from(items.len()).unwrap_or(i64::MAX);
        self.bounds(
            found,
            size,
            ("minItems", rule.min_items),
            ("maxItems", rule.max_items),
        );
        if rule.unique
            && let Some((one, other)) = self.duplicates(items)?
        {
            let message = format!("items at {} and {} are equal", count(one), count(other));
            self.fault(found, message);
        }
        let first: &[Id] = match &rule.items {
            Items::Each(each) => each,
            Items::All(id) => {
                self.each(*id, items, depth, found)?;
                &[]
            }
            Items::Any => &rule.prefix,
        };
        for ((at, item), id) in items.iter().enumerate().zip(first) {
            found.extend(self.inner(*id, item, at.to_string(), depth)?);
        }
        let judged = match rule.items {
            Items::All(_) => items.len(),
            _ => first.len().min(items.len()),
        };
        // The places of these are counted from where the first ones end.
        let behind = items.get(judged..).unwrap_or_default();
        match rule.more_items {
            None | Some(More::Allowed) => {}
            Some(More::Refused) if behind.is_empty() => {}
            Some(More::Refused) => {
                let message = format!("last {} additionalItem(s) not allowed", count(behind.len()));
                self.fault(found, message);
            }
            Some(More::Rule(id)) => self.each(id, behind, depth, found)?,
        }
        if let Some(id) = rule.rest {
            self.each(id, behind, depth, found)?;
        }
        if let Some(id) = rule.contains {
            self.contains(rule, id, items, depth, left, found)?;
        }
        Ok(())
    }

    fn each(&mut self, id: Id, items: &[Data], depth: usize, found: &mut Found) -> Judged<()> {
        for (at, item) in items.iter().enumerate() {
            found.extend(self.inner(id, item, at.to_string(), depth)?);
        }
        Ok(())
    }

    /// The first item that is equal to one before it.
    fn duplicates(&mut self, items: &[Data]) -> Judged<Option<(usize, usize)>> {
        for (at, item) in items.iter().enumerate() {
            self.steps = self.steps.checked_sub(at).ok_or(TooMuch)?;
            let before = items.get(..at).unwrap_or_default();
            if let Some(other) = before.iter().position(|other| equal(item, other)) {
                return Ok(Some((other, at)));
            }
        }
        Ok(None)
    }

    fn contains(
        &mut self,
        rule: &'r Rule,
        id: Id,
        items: &[Data],
        depth: usize,
        left: &mut Left,
        found: &mut Found,
    ) -> Judged<()> {
        let (mut faults, mut fits) = (Found::new(), Vec::new());
        for (at, item) in items.iter().enumerate() {
            match self.inner(id, item, at.to_string(), depth)? {
                Some(fault) => faults.push(fault),
                None => {
                    fits.push(at);
                    if rule.draft >= 2020 {
                        left.items.remove(&at);
                    }
                }
            }
        }
        let matched = i64::try_from(fits.len()).unwrap_or(i64::MAX);
        let listed: Vec<String> = fits.iter().map(usize::to_string).collect();
        let listed = format!("matched {} items at {}", count(matched), listed.join(" "));
        let too_few = match rule.min_contains {
            Some(least) if matched < least => {
                let got = match matched {
                    0 => "none matched".to_owned(),
                    _ => listed.clone(),
                };
                let least = count(least);
                Some(format!(
                    "min {least} items required to match contains schema, but {got}"
                ))
            }
            None if matched == 0 => Some("no items match contains schema".to_owned()),
            _ => None,
        };
        if let Some(message) = too_few {
            found.push(Fault::new(&self.at, message).because(faults));
        }
        if let Some(most) = rule.max_contains.filter(|most| matched > *most) {
            let most = count(most);
            let message =
                format!("max {most} items required to match contains schema, but {listed}");
            self.fault(found, message);
        }
        Ok(())
    }

    fn string(&self, rule: &Rule, value: &[u8], found: &mut Found) {
        let text = String::from_utf8_lossy(value);
        if rule.min_length.is_some() || rule.max_length.is_some() {
            let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
            self.bounds(
                found,
                length,
                ("minLength", rule.min_length),
                ("maxLength", rule.max_length),
            );
        }
        if let Some((regexp, pattern)) = &rule.pattern
            && !regexp.is_match(value)
        {
            let message = format!(
                "{} does not match pattern {}",
                single(&text),
                single(pattern)
            );
            self.fault(found, message);
        }
    }

    fn number(&self, rule: &Rule, value: &Data, found: &mut Found) {
        let Some(got) = number(value) else {
            return;
        };
        let mut check = |name: &str, bound: Option<Number>, fits: fn(f64, f64) -> bool| {
            if let Some(Number(want)) = bound.filter(|Number(want)| !fits(got, *want)) {
                let message = format!("{name}: got {}, want {}", english(got), english(want));
                self.fault(found, message);
            }
        };
        check("minimum", rule.minimum, |got, want| got >= want);
        check("maximum", rule.maximum, |got, want| got <= want);
        check("exclusiveMinimum", rule.above, |got, want| got > want);
        check("exclusiveMaximum", rule.below, |got, want| got < want);
        check("multipleOf", rule.multiple_of, is_multiple);
    }

    fn choose(
        &mut self,
        rule: &'r Rule,
        value: &Data,
        depth: usize,
        left: &mut Left,
        found: &mut Found,
    ) -> Judged<()> {
        if let Some(id) = rule.not
            && self.same(id, value, depth, left)?.is_none()
        {
            self.fault(found, "'not' failed");
        }
        let mut faults = Found::new();
        for id in &rule.all_of {
            faults.extend(self.same(*id, value, depth, left)?);
        }
        if !faults.is_empty() {
            found.push(Fault::new(&self.at, "'allOf' failed").because(faults));
        }
        self.any_of(rule, value, depth, left, found)?;
        self.one_of(rule, value, depth, left, found)?;
        if let Some(id) = rule.condition {
            let next = match self.same(id, value, depth, left)? {
                None => rule.then,
                Some(_) => rule.otherwise,
            };
            if let Some(id) = next {
                found.extend(self.same(id, value, depth, left)?);
            }
        }
        Ok(())
    }

    fn any_of(
        &mut self,
        rule: &'r Rule,
        value: &Data,
        depth: usize,
        left: &mut Left,
        found: &mut Found,
    ) -> Judged<()> {
        let (mut faults, mut fits) = (Found::new(), rule.any_of.is_empty());
        for id in &rule.any_of {
            match self.same(*id, value, depth, left)? {
                Some(fault) => faults.push(fault),
                None => {
                    fits = true;
                    if left.is_empty() {
                        break;
                    }
                }
            }
        }
        if !fits {
            found.push(Fault::new(&self.at, "'anyOf' failed").because(faults));
        }
        Ok(())
    }

    fn one_of(
        &mut self,
        rule: &'r Rule,
        value: &Data,
        depth: usize,
        left: &mut Left,
        found: &mut Found,
    ) -> Judged<()> {
        let (mut faults, mut fits) = (Found::new(), None);
        for (at, id) in rule.one_of.iter().enumerate() {
            match (self.same(*id, value, depth, left)?, fits) {
                (Some(fault), None) => faults.push(fault),
                (Some(_), Some(_)) => {}
                (None, None) => fits = Some(at),
                (None, Some(first)) => {
                    let (first, second) = (count(first), count(at));
                    let message = format!("'oneOf' failed, subschemas {first}, {second} matched");
                    self.fault(found, message);
                    return Ok(());
                }
            }
        }
        if fits.is_none() && !rule.one_of.is_empty() {
            let whole = Fault::new(&self.at, "'oneOf' failed, none matched");
            found.push(whole.because(faults));
        }
        Ok(())
    }

    fn unevaluated(
        &mut self,
        rule: &'r Rule,
        value: &Data,
        depth: usize,
        left: &mut Left,
        found: &mut Found,
    ) -> Judged<()> {
        if let (Data::Map(entries), Some(id)) = (value, rule.unevaluated_properties) {
            for key in std::mem::take(&mut left.keys) {
                if let Some(item) = entries.get(&key) {
                    let name = String::from_utf8_lossy(&key).into_owned();
                    found.extend(self.inner(id, item, name, depth)?);
                }
            }
        }
        if let (Data::List(items), Some(id)) = (value, rule.unevaluated_items) {
            for at in std::mem::take(&mut left.items) {
                if let Some(item) = items.get(at) {
                    found.extend(self.inner(id, item, at.to_string(), depth)?);
                }
            }
        }
        Ok(())
    }
}

/// What is asked first; a fault here is the only one.
fn scalar_fault(rule: &Rule, value: &Data) -> Option<String> {
    let kind = type_bit(value);
    // A number may be an integer.
    let whole = number(value).is_some_and(|number| number.fract() == 0.0);
    let fits = rule.types & kind != 0 || rule.types & (1 << 3) != 0 && whole;
    if rule.types != 0 && !fits {
        return Some(misfit(value, rule.types));
    }
    if let Some((constant, said)) = &rule.constant
        && !equal(value, constant)
    {
        return Some(said.clone());
    }
    if let Some((options, said)) = &rule.options
        && !options.iter().any(|option| equal(value, option))
    {
        return Some(said.clone());
    }
    let (Some(name), Data::String(text)) = (&rule.format, value) else {
        return None;
    };
    let text = String::from_utf8_lossy(text);
    let fault = format::check(name, &text).err()?;
    Some(format!("{} is not valid {name}: {fault}", single(&text)))
}

fn is_multiple(number: f64, of: f64) -> bool {
    match (Decimal::from_float(number), Decimal::from_float(of)) {
        (Some(number), Some(of)) => number
            .is_multiple_of(of)
            .unwrap_or_else(|| (number.to_float() / of.to_float()).fract() == 0.0),
        _ => true,
    }
}
