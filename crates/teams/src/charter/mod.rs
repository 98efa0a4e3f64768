//! x
mod days;
mod request;
mod sentence;
