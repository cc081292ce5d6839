//! Exports and imports of every component, each import resolved to its
//! producers: **the graph**.
//!
//! [`Linked::new`] reads one rendered world. What a component makes is an
//! [`Export`], what it cannot do without an [`Import`]; an import is met by any
//! of the exports of the same [`Item`] in the same cluster. From imports,
//! dependencies and parents follow the [`Event`]s of every component (it
//! starts, all its objects are applied, it is ready) and what each of them
//! waits for, as a [`schedule::Graph`]: see [`Linked::graph`].
//!
//! Rules and reports ask questions of that graph; nothing builds a second one.

mod access;
mod ask;
mod budget;
mod chart;
mod clock;
mod confidence;
mod controllers;
mod deadlock;
mod delay;
mod event;
mod events;
mod explain;
mod export;
mod given;
mod hints;
mod holds;
mod import;
mod imports;
mod item;
mod linked;
mod object;
mod order;
mod pickup;
mod pods;
mod producers;
mod readers;
mod reason;
mod resolve;
mod subtree;
mod suspended;
mod timing;
mod unused;
mod work;

pub use ask::{Ask, Scenario};
pub use budget::Overrun;
pub use chart::{is_early, is_hook};
pub use confidence::Sought;
pub use controllers::Controllers;
pub use deadlock::{Break, Deadlock};
pub use event::{Event, Phase};
pub use export::{CrdExport, Export, Exports, How, field_span};
pub use given::Given;
pub use hints::{Hint, Hinted};
pub use holds::{Keys, Port};
pub use import::{Cause, Import, Strength};
pub use item::{Item, Place};
pub use linked::{Linked, Options};
pub use object::{Handling, handling};
pub use order::Unordered;
pub use pickup::{Basis, Pickup};
pub use reason::{Explained, Reason, Why};
pub use resolve::{Supply, Target};
pub use suspended::{Held, HeldBy};
pub use timing::{Contribution, Inversion, Lane, Span, Timing, Window, Workers};
pub use unused::UnusedExternal;
