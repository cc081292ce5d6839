//! Formats of texts that the older drafts demand. Faults have the words of
//! Helm's library.

use std::net::Ipv6Addr;

use gotmpl::regexp::Regexp;
use gotmpl::time::Time;

type Checked = Result<(), String>;

/// Checks a text. Formats that nobody knows hold for all.
pub(super) fn check(name: &str, text: &str) -> Checked {
    match name {
        "regex" => Regexp::new(text).map(|_| ()),
        "json-pointer" => json_pointer(text),
        "relative-json-pointer" => relative_json_pointer(text),
        "uuid" => uuid(text),
        "duration" => duration(text),
        "period" => period(text),
        "ipv4" => ipv4(text),
        "ipv6" => ipv6(text),
        "hostname" => hostname(text),
        "email" => email(text),
        "date" => date(text),
        "time" => time(text),
        "date-time" => date_time(text),
        "uri" | "iri" => super::address::absolute(text),
        "uri-reference" | "iri-reference" if text.contains('\\') => fault("contains \\"),
        "uri-reference" | "iri-reference" => super::address::reference(text),
        "uri-template" => uri_template(text),
        "semver" => semver(text),
        _ => Ok(()),
    }
}

fn fault<T>(message: impl Into<String>) -> Result<T, String> {
    Err(message.into())
}

fn within(part: &str, checked: Checked) -> Checked {
    checked.map_err(|e| format!("invalid {part}: {e}"))
}

fn shown(c: char) -> String {
    let quoted = gotmpl::strconv::quote(c.encode_utf8(&mut [0; 4]).as_bytes());
    match c {
        '\'' => "'\\''".to_owned(),
        '"' => "'\"'".to_owned(),
        _ => format!("'{}'", quoted.trim_matches('"')),
    }
}

fn json_pointer(text: &str) -> Checked {
    if !text.is_empty() && !text.starts_with('/') {
        return fault("not starting with /");
    }
    for step in text.split('/').skip(1) {
        let mut chars = step.chars();
        while let Some(c) = chars.next() {
            if c == '~' && !matches!(chars.next(), Some('0' | '1')) {
                return fault("~ must be followed by 0 or 1");
            }
        }
    }
    Ok(())
}

fn relative_json_pointer(text: &str) -> Checked {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    match text.len() - rest.len() {
        0 => fault("must start with non-negative integer"),
        2.. if text.starts_with('0') => fault("starts with zero"),
        _ if rest == "#" => Ok(()),
        _ => json_pointer(rest),
    }
}

fn uuid(text: &str) -> Checked {
    const LENGTHS: [usize; 5] = [8, 4, 4, 4, 12];
    let groups: Vec<&str> = text.split('-').collect();
    if groups.len() != LENGTHS.len() {
        return fault("must have 5 elements");
    }
    for (at, (group, length)) in groups.iter().zip(LENGTHS).enumerate() {
        if group.len() != length {
            return fault(format!(
                "element {} must be {length} characters long",
                at + 1
            ));
        }
        if let Some(c) = group.chars().find(|c| !c.is_ascii_hexdigit()) {
            return fault(format!("non-hex character {}", shown(c)));
        }
    }
    Ok(())
}

fn duration(text: &str) -> Checked {
    let Some(rest) = text.strip_prefix('P') else {
        return fault("must start with P");
    };
    if rest.is_empty() {
        return fault("nothing after P");
    }
    if let Some(weeks) = rest.strip_suffix('W') {
        return match weeks {
            "" => fault("no number in week"),
            weeks if !weeks.bytes().all(|b| b.is_ascii_digit()) => fault("invalid week"),
            _ => Ok(()),
        };
    }
    for (at, mut part) in rest.split('T').enumerate() {
        let all = match at {
            0 => "YMD",
            _ if part.is_empty() => return fault("no time elements"),
            1 => "HMS",
            _ => return fault("more than one T"),
        };
        let mut units = all;
        while !part.is_empty() {
            let behind = part.trim_start_matches(|c: char| c.is_ascii_digit());
            if behind.len() == part.len() {
                return fault("missing number");
            }
            let Some(unit) = behind.chars().next() else {
                return fault("missing unit");
            };
            match units.find(unit) {
                Some(found) => units = units.get(found + 1..).unwrap_or_default(),
                None if all.contains(unit) => {
                    return fault(format!("unit {} out of order", shown(unit)));
                }
                None => return fault(format!("invalid unit {}", shown(unit))),
            }
            part = behind.get(unit.len_utf8()..).unwrap_or_default();
        }
    }
    Ok(())
}

fn period(text: &str) -> Checked {
    let Some((start, end)) = text.split_once('/') else {
        return fault("missing slash");
    };
    if start.starts_with('P') {
        within("start duration", duration(start))?;
        return within("end date-time", date_time(end));
    }
    within("start date-time", date_time(start))?;
    match end.starts_with('P') {
        true => within("end duration", duration(end)),
        false => within("end date-time", date_time(end)),
    }
}

fn ipv4(text: &str) -> Checked {
    let groups: Vec<&str> = text.split('.').collect();
    if groups.len() != 4 {
        return fault("expected four decimals");
    }
    for group in groups {
        if group.len() > 1 && group.starts_with('0') {
            return fault("leading zeros");
        }
        let digits = group.strip_prefix(['+', '-']).unwrap_or(group);
        let quoted = gotmpl::strconv::quote(group.as_bytes());
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return fault(format!("strconv.Atoi: parsing {quoted}: invalid syntax"));
        }
        match group.parse::<i64>() {
            Ok(0..=255) => {}
            Ok(_) => return fault("decimal must be between 0 and 255"),
            Err(_) => {
                return fault(format!(
                    "strconv.Atoi: parsing {quoted}: value out of range"
                ));
            }
        }
    }
    Ok(())
}

fn ipv6(text: &str) -> Checked {
    if !text.contains(':') {
        return fault("missing colon");
    }
    if let Some((address, zone)) = text.split_once('%')
        && !zone.is_empty()
        && address.parse::<Ipv6Addr>().is_ok()
    {
        return fault("zone id is not a part of ipv6 address");
    }
    match text.parse::<Ipv6Addr>() {
        Ok(_) => Ok(()),
        Err(_) => fault(format!(
            "ParseAddr({}): unable to parse IP",
            gotmpl::strconv::quote(text.as_bytes())
        )),
    }
}

fn hostname(text: &str) -> Checked {
    let text = text.strip_suffix('.').unwrap_or(text);
    if text.len() > 253 {
        return fault("more than 253 characters long");
    }
    for label in text.split('.') {
        if !(1..=63).contains(&label.len()) {
            return fault("label must be 1 to 63 characters long");
        }
        if label.starts_with('-') {
            return fault("label starts with hyphen");
        }
        if label.ends_with('-') {
            return fault("label ends with hyphen");
        }
        let allowed = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
        if let Some(c) = label.chars().find(|c| !allowed(c)) {
            return fault(format!("invalid character {}", shown(c)));
        }
    }
    Ok(())
}

fn email(text: &str) -> Checked {
    if text.len() > 254 {
        return fault("more than 255 characters long");
    }
    let Some((local, domain)) = text.rsplit_once('@') else {
        return fault("missing @");
    };
    if local.len() > 64 {
        return fault("local part more than 64 characters long");
    }
    match local.strip_prefix('"') {
        Some(quoted) if local.len() > 1 => {
            // The last character counts as a quote, whatever it is.
            let mut inner = quoted.chars();
            inner.next_back();
            if inner.any(|c| matches!(c, '\\' | '"')) {
                return fault("backslash and quote are not allowed within quoted local part");
            }
        }
        _ => local_part(local)?,
    }
    if let Some(address) = domain.strip_prefix('[').and_then(|d| d.strip_suffix(']')) {
        return match address.strip_prefix("IPv6:") {
            Some(address) => within("ipv6 address", ipv6(address)),
            None => within("ipv4 address", ipv4(address)),
        };
    }
    within("domain", hostname(domain))
}

fn local_part(local: &str) -> Checked {
    if local.starts_with('.') {
        return fault("starts with dot");
    }
    if local.ends_with('.') {
        return fault("ends with dot");
    }
    if local.contains("..") {
        return fault("consecutive dots");
    }
    let allowed = |c: &char| c.is_ascii_alphanumeric() || ".!#$%&'*+-/=?^_`{|}~".contains(*c);
    match local.chars().find(|c| !allowed(c)) {
        Some(c) => fault(format!("invalid character {}", shown(c))),
        None => Ok(()),
    }
}

fn date(text: &str) -> Checked {
    Time::parse(b"2006-01-02", text.as_bytes()).map(|_| ())
}

fn date_time(text: &str) -> Checked {
    if text.len() < 20 {
        return fault("less than 20 characters long");
    }
    let (Some(day), Some(mark), Some(rest)) = (text.get(..10), text.get(10..11), text.get(11..))
    else {
        return fault("11th character must be t or T");
    };
    if mark != "t" && mark != "T" {
        return fault("11th character must be t or T");
    }
    within("date element", date(day))?;
    within("time element", time(rest))
}

/// Numbers with colons between them.
fn numbers(text: &str) -> Option<Vec<i64>> {
    text.split(':').map(|part| part.parse().ok()).collect()
}

fn time(text: &str) -> Checked {
    let bytes = text.as_bytes();
    if bytes.len() < 9 {
        return fault("less than 9 characters long");
    }
    if bytes.get(2) != Some(&b':') || bytes.get(5) != Some(&b':') {
        return fault("missing colon in correct place");
    }
    let (Some(clock), Some(mut rest)) = (text.get(..8), text.get(8..)) else {
        return fault("invalid hour/min/sec");
    };
    let Some([hour, minute, second]) = numbers(clock).and_then(|n| <[i64; 3]>::try_from(n).ok())
    else {
        return fault("invalid hour/min/sec");
    };
    if hour < 0 || minute < 0 || second < 0 {
        return fault("non-positive hour/min/sec");
    }
    if hour > 23 || minute > 59 || second > 60 {
        return fault("hour/min/sec out of range");
    }
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == fraction.len() {
            return fault("no digits in second fraction");
        }
    }
    let mut minutes = hour * 60 + minute;
    if rest != "z" && rest != "Z" {
        minutes = (minutes + offset(rest)?).rem_euclid(24 * 60);
    }
    match second < 60 || minutes == 23 * 60 + 59 {
        true => Ok(()),
        false => fault("invalid leap second"),
    }
}

/// Minutes to add for universal time.
fn offset(text: &str) -> Result<i64, String> {
    if text.len() != 6 {
        return fault("offset must be 6 characters long");
    }
    let sign = match text.as_bytes().first() {
        Some(b'+') => -1,
        Some(b'-') => 1,
        _ => return fault("offset must begin with plus/minus"),
    };
    let rest = text.get(1..).unwrap_or_default();
    if rest.as_bytes().get(2) != Some(&b':') {
        return fault("missing colon in offset in correct place");
    }
    let Some([hour, minute]) = numbers(rest).and_then(|n| <[i64; 2]>::try_from(n).ok()) else {
        return fault("invalid hour/min in offset");
    };
    if hour < 0 || minute < 0 {
        return fault("non-positive hour/min in offset");
    }
    match hour > 23 || minute > 59 {
        true => fault("hour/min in offset out of range"),
        false => Ok(sign * (hour * 60 + minute)),
    }
}

fn uri_template(text: &str) -> Checked {
    super::address::reference(text)?;
    for step in super::address::split(text).0.split('/') {
        let mut open = false;
        for c in step.chars().filter(|c| matches!(c, '{' | '}')) {
            if open == (c == '{') {
                return fault("nested curly braces");
            }
            open = !open;
        }
        if open {
            return fault("no matching closing brace");
        }
    }
    Ok(())
}

fn semver(text: &str) -> Checked {
    let (rest, build) = match text.split_once('+') {
        Some((rest, build)) => (rest, Some(build)),
        None => (text, None),
    };
    let (core, pre) = match rest.split_once('-') {
        Some((core, pre)) => (core, Some(pre)),
        None => (rest, None),
    };
    let parts: Vec<&str> = core.split('.').collect();
    if parts.len() != 3 {
        return fault("versionCore must have 3 numbers separated by dot");
    }
    let number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let padded = |part: &str| part.len() > 1 && part.starts_with('0');
    if parts.iter().any(|part| !number(part) || padded(part)) {
        return fault("a number of the versionCore is invalid");
    }
    let word = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let bad_pre = |pre: &str| {
        pre.split('.')
            .any(|part| !word(part) || number(part) && padded(part))
    };
    if pre.is_some_and(bad_pre) {
        return fault("preRelease is invalid");
    }
    match build.is_some_and(|build| !build.split('.').all(word)) {
        true => fault("buildMetadata is invalid"),
        false => Ok(()),
    }
}
