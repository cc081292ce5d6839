//! Timestamps as Go's YAML readers recognise them, with time.Parse's
//! tolerance: one-digit fields, several spaces, a comma before the fraction.

/// A moment as written: wall clock and offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timestamp {
    year: u32,
    month: u32,
    day: u32,
    hour: u32,
    minute: u32,
    second: u32,
    nanosecond: u32,
    /// East of Greenwich.
    offset_seconds: i32,
}

struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn digit(&self, at: usize) -> Option<u32> {
        let byte = *self.0.get(at)?;
        byte.is_ascii_digit().then(|| u32::from(byte - b'0'))
    }

    fn advance(&mut self, count: usize) {
        self.0 = self.0.get(count..).unwrap_or_default();
    }

    /// One or two digits.
    fn number(&mut self) -> Option<u32> {
        let first = self.digit(0)?;
        match self.digit(1) {
            Some(second) => {
                self.advance(2);
                Some(first * 10 + second)
            }
            None => {
                self.advance(1);
                Some(first)
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.0.first() == Some(&byte)).then(|| self.advance(1))
    }

    /// Nanoseconds of `.123` or `,123`; 0 when there is no fraction.
    fn fraction(&mut self) -> u32 {
        if !matches!(self.0.first(), Some(b'.' | b',')) || self.digit(1).is_none() {
            return 0;
        }
        self.advance(1);
        let mut value = 0;
        let mut scale = 100_000_000;
        while let Some(digit) = self.digit(0) {
            value += digit * scale;
            scale /= 10;
            self.advance(1);
        }
        value
    }

    /// `Z`, `+hh:mm` or `-hh:mm`.
    fn offset(&mut self) -> Option<i32> {
        if self.expect(b'Z').is_some() {
            return Some(0);
        }
        let negative = match self.0.first()? {
            b'+' => false,
            b'-' => true,
            _ => return None,
        };
        if self.0.get(3) != Some(&b':') {
            return None;
        }
        let hours = self.digit(1)? * 10 + self.digit(2)?;
        let minutes = self.digit(4)? * 10 + self.digit(5)?;
        if hours > 24 || minutes > 60 {
            return None;
        }
        self.advance(6);
        let seconds = i32::try_from((hours * 60 + minutes) * 60).ok()?;
        Some(if negative { -seconds } else { seconds })
    }
}

impl Timestamp {
    /// Reads a date, or a date and a time.
    pub(crate) fn parse(text: &str) -> Option<Timestamp> {
        let mut cursor = Cursor(text.as_bytes());
        let mut year = 0;
        for at in 0..4 {
            year = year * 10 + cursor.digit(at)?;
        }
        cursor.advance(4);
        cursor.expect(b'-')?;
        let month = cursor.number()?;
        cursor.expect(b'-')?;
        let day = cursor.number()?;
        if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
            return None;
        }
        let date = Timestamp {
            year,
            month,
            day,
            hour: 0,
            minute: 0,
            second: 0,
            nanosecond: 0,
            offset_seconds: 0,
        };
        match cursor.0.first() {
            None => Some(date),
            Some(b'T' | b't') => {
                cursor.advance(1);
                date.with_time(cursor, true)
            }
            Some(b' ') => {
                while cursor.0.first() == Some(&b' ') {
                    cursor.advance(1);
                }
                date.with_time(cursor, false)
            }
            Some(_) => None,
        }
    }

    fn with_time(mut self, mut cursor: Cursor<'_>, zoned: bool) -> Option<Timestamp> {
        self.hour = cursor.number()?;
        cursor.expect(b':')?;
        self.minute = cursor.number()?;
        cursor.expect(b':')?;
        self.second = cursor.number()?;
        if self.hour > 23 || self.minute > 59 || self.second > 59 {
            return None;
        }
        self.nanosecond = cursor.fraction();
        if zoned {
            self.offset_seconds = cursor.offset()?;
        }
        cursor.0.is_empty().then_some(self)
    }

    /// RFC 3339 with as much of a fraction as there is, as Go writes a time
    /// into JSON; `None` when JSON cannot hold the offset.
    pub(crate) fn rfc3339(&self) -> Option<String> {
        let Timestamp {
            year,
            month,
            day,
            hour,
            minute,
            second,
            ..
        } = self;
        let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        if self.nanosecond > 0 {
            let fraction = format!(".{:09}", self.nanosecond);
            text.push_str(fraction.trim_end_matches('0'));
        }
        if self.offset_seconds == 0 {
            text.push('Z');
            return Some(text);
        }
        let sign = if self.offset_seconds < 0 { '-' } else { '+' };
        let minutes = self.offset_seconds.unsigned_abs() / 60;
        if minutes / 60 > 23 {
            return None;
        }
        text.push_str(&format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60));
        Some(text)
    }
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
