//! How sizes, times and numbers of things are written.

use std::fmt::Display;
use std::time::{SystemTime, UNIX_EPOCH};

/// A time in UTC, to the second.
pub(crate) fn time(time: SystemTime) -> String {
    // Before 1970, or so far away that no date has a name for it.
    let sane =
        time >= UNIX_EPOCH && time.duration_since(UNIX_EPOCH).is_ok_and(|since| since.as_secs() < LAST);
    humantime::format_rfc3339_seconds(if sane { time } else { UNIX_EPOCH }).to_string()
}

/// The last second of the year 9999.
const LAST: u64 = 253_402_300_800;

/// A size for a reader.
pub(crate) fn bytes(size: u64) -> String {
    const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
    if size < 1024 {
        return format!("{size} B");
    }
    let mut value = size as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// A size as `ls -h` and `du -h` write it: `13B`, `1.5K`, `4K`.
pub(crate) fn short_bytes(size: u64) -> String {
    const UNITS: [&str; 4] = ["B", "K", "M", "G"];
    let unit = (size.checked_ilog2().unwrap_or(0) as usize / 10).min(UNITS.len() - 1);
    let one = 1_u64 << (10 * unit);
    match size % one {
        0 => format!("{}{}", size / one, UNITS[unit]),
        _ => format!("{:.1}{}", size as f64 / one as f64, UNITS[unit]),
    }
}

/// A number of things.
pub(crate) fn counted<N: From<u8> + PartialEq + Display>(count: N, one: &str, many: &str) -> String {
    if count == N::from(1) { format!("1 {one}") } else { format!("{count} {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn sizes_have_one_decimal() {
        for (size, shown) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KB"),
            (1_048_500, "1023.9 KB"),
            (1_048_570, "1.0 MB"),
            (u64::MAX, "16384.0 PB"),
        ] {
            assert_eq!(bytes(size), shown);
        }
    }

    #[test]
    fn short_sizes_have_a_decimal_where_it_says_something() {
        for (size, shown) in [
            (0, "0B"),
            (13, "13B"),
            (1023, "1023B"),
            (1024, "1K"),
            (1536, "1.5K"),
            (4096, "4K"),
            (5 << 30, "5G"),
        ] {
            assert_eq!(short_bytes(size), shown);
        }
    }

    #[test]
    fn a_time_that_cannot_be_is_no_fault() {
        assert_eq!(time(UNIX_EPOCH + Duration::from_secs(1_700_000_000)), "2023-11-14T22:13:20Z");
        assert_eq!(time(UNIX_EPOCH - Duration::from_secs(5)), "1970-01-01T00:00:00Z");
        assert_eq!(time(UNIX_EPOCH + Duration::from_secs(LAST)), "1970-01-01T00:00:00Z");
    }
}
