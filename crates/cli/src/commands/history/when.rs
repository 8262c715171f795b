//! Moments, as people type and read them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{Local, TimeZone};

use crate::clock;

const HELP: &str = "must be a time such as 2h, \"3 days ago\", yesterday, 2026-11-15 or \"2026-11-15 20:17\"";

/// A moment: so long ago, or a date.
pub(crate) fn moment(text: &str) -> Result<SystemTime, String> {
    since(text.trim(), SystemTime::now(), &Local).ok_or_else(|| HELP.to_owned())
}

fn since(text: &str, now: SystemTime, zone: &impl TimeZone) -> Option<SystemTime> {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let ago = |duration: Duration| now.checked_sub(duration).or(Some(UNIX_EPOCH));
    match text {
        "now" => return Some(now),
        "yesterday" => return ago(DAY),
        "today" => return clock::midnight(now, zone),
        _ => {}
    }
    // As git takes it: 2.hours.ago.
    let spoken = text.replace('.', " ");
    let spoken = spoken.strip_suffix("ago").map_or(text, str::trim_end);
    if let Ok(duration) = humantime::parse_duration(spoken) {
        return ago(duration);
    }
    // With a Z at its end, it is the time of Greenwich.
    humantime::parse_rfc3339(text).ok().or_else(|| clock::parsed(text, zone))
}

/// How long ago a moment was, in the largest unit that says something.
pub(crate) fn ago(time: SystemTime, now: SystemTime) -> String {
    let Ok(age) = now.duration_since(time) else { return "just now".to_owned() };
    let seconds = age.as_secs();
    let units = [(60, "minute"), (60 * 60, "hour"), (24 * 60 * 60, "day")];
    match units.iter().rev().find(|(unit, _)| seconds >= *unit) {
        _ if seconds >= 30 * 24 * 60 * 60 => clock::day(time),
        Some((unit, name)) if seconds / unit == 1 => format!("1 {name} ago"),
        Some((unit, name)) => format!("{} {name}s ago", seconds / unit),
        None if seconds < 5 => "just now".to_owned(),
        None => format!("{seconds} seconds ago"),
    }
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn moments_are_understood_as_people_type_them() {
        let now = at(1_800_000_000);
        for (typed, back) in [
            ("2h", 7_200),
            ("2 hours ago", 7_200),
            ("2.hours.ago", 7_200),
            ("90s", 90),
            ("1day 2h", 93_600),
            ("yesterday", 86_400),
            ("today", 28_800),
            ("now", 0),
        ] {
            assert_eq!(since(typed, now, &Utc), Some(at(1_800_000_000 - back)), "{typed}");
        }
        for (typed, seconds) in [
            ("2026-11-15", 1_794_700_800),
            ("2026-11-15T20:17:03Z", 1_794_773_823),
            ("2026-11-15 20:17:03", 1_794_773_823),
        ] {
            assert_eq!(since(typed, now, &Utc), Some(at(seconds)), "{typed}");
        }
        for wrong in ["", "soon", "12", "2026-13-45", "-2h"] {
            assert_eq!(since(wrong, now, &Utc), None, "{wrong}");
        }
    }

    #[test]
    fn ages_are_told_in_one_unit() {
        let now = at(1_800_000_000);
        for (back, told) in [
            (0, "just now"),
            (30, "30 seconds ago"),
            (60, "1 minute ago"),
            (3_599, "59 minutes ago"),
            (7_200, "2 hours ago"),
            (86_400 * 3, "3 days ago"),
            // About noon in Greenwich: the same day nearly everywhere.
            (86_400 * 40 - 14_400, "2026-12-06"),
        ] {
            assert_eq!(ago(at(1_800_000_000 - back), now), told);
        }
        assert_eq!(ago(at(1_800_000_009), now), "just now");
    }
}
