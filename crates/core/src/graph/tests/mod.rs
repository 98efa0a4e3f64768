//! Tests of the drawings.

mod builders;
mod forms;
mod geometry;
mod properties;
mod samples;
mod terminal;
mod xml;
