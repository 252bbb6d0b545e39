//! Dumb controls: they know no domain word.
