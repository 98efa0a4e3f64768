//! What a model sees of its tools, and what comes of its mistakes.
