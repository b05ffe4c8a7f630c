//! How criterion measures here.

use criterion::Criterion;
use std::time::Duration;

/// Little time for each: there are thousands.
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(5))
        .measurement_time(Duration::from_millis(25))
        .sample_size(10)
        .without_plots()
        .configure_from_args()
}
