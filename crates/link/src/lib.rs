//! Exports and imports of every component, each import resolved to its producers: **the graph**.
