//! Days and dates of the Gregorian calendar, before its invention too.

/// A date and the time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Civil {
    pub year: i64,
    /// From 1.
    pub month: u32,
    /// From 1.
    pub day: u32,
    /// From 1.
    pub day_of_year: u32,
    /// From 0, Sunday.
    pub weekday: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
}

/// Days of the 400 years after which the calendar repeats.
const ERA: i64 = 146_097;

/// What seconds since 1970 are in the calendar.
pub(super) fn civil(seconds: i64) -> Civil {
    let days = seconds.div_euclid(86_400);
    let rest = small(seconds.rem_euclid(86_400));
    // Years are counted from March, so that the leap day is the last one.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(ERA);
    let of_era = shifted.rem_euclid(ERA);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 {
        month_index + 3
    } else {
        month_index - 9
    };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    Civil {
        year,
        month: small(month),
        day: small(day),
        day_of_year: small(days - days_from(year, 1, 1) + 1),
        weekday: small((days + 4).rem_euclid(7)),
        hour: rest / 3600,
        minute: rest / 60 % 60,
        second: rest % 60,
    }
}

/// Days from 1970 to a date.
pub(super) fn days_from(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// How many days a month has.
pub(super) fn days_in(year: i64, month: i64) -> i64 {
    let next = if month == 12 {
        days_from(year + 1, 1, 1)
    } else {
        days_from(year, month + 1, 1)
    };
    next - days_from(year, month, 1)
}

fn small(number: i64) -> u32 {
    u32::try_from(number).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_agree() {
        for days in (-800_000..800_000).step_by(37) {
            let date = civil(days * 86_400);
            assert_eq!(
                days_from(date.year, date.month.into(), date.day.into()),
                days
            );
        }
        assert_eq!(civil(0).weekday, 4);
        assert_eq!((days_in(2000, 2), days_in(1900, 2)), (29, 28));
    }
}
