//! How a cost grows with a size: the exponent of the power that fits what was measured.
//!
//! In a log-log picture a power is a straight line, and its exponent is the slope. A cost that does not depend on the size has
//! exponent 0, a linear one 1, a quadratic one 2; n log n is between 1.05 and 1.12 for the sizes that matter here.

/// What was measured: sizes, each larger than the one before, and what each has cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve(Vec<(f64, f64)>);

/// The power that fits the upper part of a curve best: `factor * size ^ exponent`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    /// 1 is linear, 2 is quadratic.
    pub exponent: f64,
    /// What size 1 would cost.
    pub factor: f64,
    /// How much of the differences the power explains: 1 is all.
    pub r_squared: f64,
    /// How many points it was fitted to.
    pub points: usize,
}

impl Curve {
    /// How many times smaller than the largest size the smallest is that still counts. Below, what every call costs hides how
    /// the cost grows.
    const UPPER: f64 = 16.0;
    /// Two points are a line whatever they cost.
    const LEAST: usize = 3;

    /// Adds a point.
    pub fn push(&mut self, size: f64, cost: f64) {
        self.0.push((size, cost));
    }

    /// The points.
    #[must_use]
    pub fn points(&self) -> &[(f64, f64)] {
        &self.0
    }

    /// The largest size, and what it has cost.
    #[must_use]
    pub fn last(&self) -> Option<(f64, f64)> {
        self.0.last().copied()
    }

    /// Fits a power to the points of the upper part that cost more than `floor`, which is noise. None where too few are left.
    #[must_use]
    pub fn fit(&self, floor: f64) -> Option<Power> {
        let (largest, _) = self.last()?;
        let counts = |(size, cost): &&(f64, f64)| *cost > floor && *size * Self::UPPER >= largest * 0.99;
        let points: Vec<(f64, f64)> =
            self.0.iter().filter(counts).map(|(size, cost)| (size.ln(), cost.ln())).collect();
        if points.len() < Self::LEAST { None } else { Some(line(&points)) }
    }
}

/// The line through these logarithms with the least squares.
fn line(points: &[(f64, f64)]) -> Power {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let sum =
        |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|point| of(point.0 - x, point.1 - y)).sum::<f64>();
    let (square, product, spread) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
    let exponent = product / square;
    let r_squared = if spread > 0.0 { product * product / (square * spread) } else { 1.0 };
    Power { exponent, factor: (y - exponent * x).exp(), r_squared, points: points.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Sizes by powers of two up to 131,072 with a cost each, to which up to a twentieth is added or taken at random.
    fn curve(cost: impl Fn(f64) -> f64) -> Curve {
        let mut random = Random(1);
        let mut curve = Curve::default();
        for power in 10..=17 {
            let size = f64::from(1 << power);
            let noise = 0.95 + 0.001 * random.below(101) as f64;
            curve.push(size, cost(size) * noise);
        }
        curve
    }

    fn exponent(cost: impl Fn(f64) -> f64) -> f64 {
        curve(cost).fit(0.0).unwrap().exponent
    }

    #[track_caller]
    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 0.04, "{found}, not {expected}");
    }

    #[test]
    fn the_exponent_of_a_power_is_found_in_spite_of_noise() {
        near(exponent(|_| 5.0), 0.0);
        near(exponent(|n| 3.0 * n), 1.0);
        near(exponent(|n| n.powf(1.5)), 1.5);
        near(exponent(|n| 0.001 * n * n), 2.0);
        near(exponent(|n| n * n.ln()), 1.09);
    }

    #[test]
    fn what_is_quadratic_only_for_large_sizes_is_seen() {
        assert!(exponent(|n| 0.1 + 1e-6 * n + 1e-9 * n * n) > 1.5);
        near(exponent(|n| 0.0001 + 1e-6 * n), 1.0);
    }

    #[test]
    fn a_limit_that_tells_n_log_n_from_a_power_lies_at_one_and_an_eighth() {
        assert!(exponent(|n| n * n.ln()) < 1.15);
        assert!(exponent(|n| n.powf(1.25)) > 1.15);
    }

    #[test]
    fn the_factor_and_the_fit_are_told() {
        let mut exact = Curve::default();
        (0..8).map(|power| f64::from(1 << power)).for_each(|size| exact.push(size, 3.0 * size * size));
        let power = exact.fit(0.0).unwrap();
        near(power.factor, 3.0);
        near(power.r_squared, 1.0);
        assert_eq!(power.points, 5);
    }

    #[test]
    fn noise_is_not_fitted() {
        let quick = curve(|n| 1e-9 * n);
        assert_eq!(quick.fit(0.001), None);
        assert_eq!(Curve::default().fit(0.0), None);
    }
}
