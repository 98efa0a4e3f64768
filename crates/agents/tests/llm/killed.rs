//! Killed after each recorded step, a turn goes on and asks for nothing twice.
