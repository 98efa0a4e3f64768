//! Tests of drawings.
mod samples;
