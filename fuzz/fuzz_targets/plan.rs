#![no_main]

#[path = "../src/plan.rs"]
mod plan;

use toolcrib_index::{Grams, Plan};

libfuzzer_sys::fuzz_target!(|data: &[u8]| plan::plan(data));
