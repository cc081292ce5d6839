//! Names within clusters: several Fluxes may live in one world.

use ecow::EcoString;

/// A key within the cluster whose Flux reads it.
pub(crate) type Placed<T> = (EcoString, T);
