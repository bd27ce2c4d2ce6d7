//! Resilient steps uphill (Riedmiller and Braun, "A direct adaptive method for faster backpropagation learning: the RPROP algorithm", 1993).

/// The highest value on the way up from `start` and where it is, within bounds that are the same for each coordinate: a step of each coordinate
/// follows the sign of its slope, longer as long as that stays the same and half as long when it changes.
pub fn climb(
    start: &[f64],
    (low, high): (f64, f64),
    step: f64,
    rounds: usize,
    mut evaluate: impl FnMut(&[f64]) -> Option<(f64, Vec<f64>)>,
) -> (f64, Vec<f64>) {
    let mut point = start.to_vec();
    let mut steps = vec![step; start.len()];
    let mut before = vec![0.0; start.len()];
    let mut best = (f64::NEG_INFINITY, start.to_vec());
    for _ in 0..rounds {
        let Some((value, slope)) = evaluate(&point) else { break };
        if value > best.0 {
            best = (value, point.clone());
        }
        for (place, slope) in slope.into_iter().enumerate() {
            let same = slope * before[place];
            if same > 0.0 {
                steps[place] = (1.2 * steps[place]).min(4.0 * step);
            } else if same < 0.0 {
                steps[place] *= 0.5;
            }
            if slope != 0.0 {
                point[place] = (point[place] + steps[place] * slope.signum()).clamp(low, high);
            }
            before[place] = slope;
        }
    }
    best
}
