//! Workflows as data: what is right, what is wrong.
