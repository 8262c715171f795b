//! Moments as people type and read them: in the time of their place, as `TZ` or the system says it.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Datelike, Local, NaiveDate, NaiveDateTime, NaiveTime, TimeZone};

/// A moment to the minute, such as `2026-11-15 20:17`.
pub(crate) fn minute(time: SystemTime) -> String {
    shown(time, "%Y-%m-%d %H:%M", &Local)
}

/// A moment to the second, with the distance from Greenwich, such as `2026-11-15 20:17:03 +0100`.
pub(crate) fn second(time: SystemTime) -> String {
    shown(time, "%Y-%m-%d %H:%M:%S %z", &Local)
}

/// The day of a moment, such as `2026-11-15`.
pub(crate) fn day(time: SystemTime) -> String {
    shown(time, "%Y-%m-%d", &Local)
}

/// When the day of a moment began.
pub(crate) fn midnight(time: SystemTime, zone: &impl TimeZone) -> Option<SystemTime> {
    moment(in_zone(time, zone)?.date_naive().and_time(NaiveTime::MIN), zone)
}

/// What `2026-11-15`, `2026-11-15 20:17` and `2026-11-15T20:17:03` mean.
pub(crate) fn parsed(text: &str, zone: &impl TimeZone) -> Option<SystemTime> {
    let text = text.replacen('T', " ", 1);
    let time = |form| NaiveDateTime::parse_from_str(&text, form).ok();
    let day = || Some(NaiveDate::parse_from_str(&text, "%Y-%m-%d").ok()?.and_time(NaiveTime::MIN));
    moment(time("%Y-%m-%d %H:%M:%S").or_else(|| time("%Y-%m-%d %H:%M")).or_else(day)?, zone)
}

/// The first of the moments when a clock there showed this time. Where clocks were put forward past it, there is none.
fn moment(time: NaiveDateTime, zone: &impl TimeZone) -> Option<SystemTime> {
    Some(zone.from_local_datetime(&time).earliest()?.into())
}

fn shown<Z: TimeZone<Offset: std::fmt::Display>>(time: SystemTime, form: &str, zone: &Z) -> String {
    in_zone(time, zone).map_or_else(|| "?".to_owned(), |time| time.format(form).to_string())
}

/// A file may claim to be from any year; those of the calendar are enough.
fn in_zone<Z: TimeZone>(time: SystemTime, zone: &Z) -> Option<DateTime<Z>> {
    let seconds = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).ok()?,
        Err(before) => i64::try_from(before.duration().as_secs()).ok()?.checked_neg()?,
    };
    let time = DateTime::from_timestamp(seconds, 0).filter(|time| (0..10_000).contains(&time.year()))?;
    Some(time.with_timezone(zone))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chrono::{FixedOffset, Utc};

    use super::*;

    #[test]
    fn a_moment_is_told_and_understood_in_its_place() {
        let form = "%Y-%m-%d %H:%M:%S %z";
        let east = FixedOffset::east_opt(5 * 3600 + 1800).unwrap();
        let time = UNIX_EPOCH + Duration::from_secs(1_794_773_823);
        assert_eq!(shown(time, form, &Utc), "2026-11-15 20:17:03 +0000");
        assert_eq!(shown(time, form, &east), "2026-11-16 01:47:03 +0530");
        for text in ["2026-11-16 01:47:03", "2026-11-16T01:47:03"] {
            assert_eq!(parsed(text, &east), Some(time), "{text}");
        }
        let midnight_there = time - Duration::from_secs(3600 + 47 * 60 + 3);
        assert_eq!(parsed("2026-11-16", &east), Some(midnight_there));
        assert_eq!(midnight(time, &east), Some(midnight_there));
        assert_eq!(parsed("2026-13-45", &Utc), None);
    }

    #[test]
    fn no_year_is_too_far() {
        for (seconds, told) in [(253_402_300_799, "9999"), (253_402_300_800, "?"), (i64::MAX as u64, "?")] {
            assert_eq!(shown(UNIX_EPOCH + Duration::from_secs(seconds), "%Y", &Utc), told, "{seconds}");
        }
        let before = UNIX_EPOCH - Duration::from_secs(86_400);
        assert_eq!(shown(before, "%Y-%m-%d", &Utc), "1969-12-31");
        assert_eq!(shown(UNIX_EPOCH - Duration::from_secs(i64::MAX as u64), "%Y", &Utc), "?");
    }
}
