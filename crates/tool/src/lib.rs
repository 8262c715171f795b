//! The frame.
