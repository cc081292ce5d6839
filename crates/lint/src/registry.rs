//! Every rule, one line each.

use crate::{Rule, graph, observed, runtime, sources, substitution, timing, validation};

/// Every rule, by id.
pub const RULES: &[Rule] = &[
    graph::dangling_reference::RULE,
    graph::bootstrap_deadlock::RULE,
    graph::dual_ownership::RULE,
    graph::missing_namespace::RULE,
    graph::unknown_crd::RULE,
    graph::unserved_version::RULE,
    graph::crd_in_same_apply::RULE,
    graph::build_failed::RULE,
    graph::unreached_manifest::RULE,
    graph::suspended_dependency::RULE,
    graph::retry_budget::RULE,
    graph::encrypted_without_decryption::RULE,
    graph::namespace_unset::RULE,
    observed::unpredicted_failure::RULE,
    observed::unconfirmed_finding::RULE,
    observed::not_compared::RULE,
    runtime::unstable_render::RULE,
    substitution::undefined_variable::RULE,
    substitution::missing_substitute_source::RULE,
    substitution::retyped_value::RULE,
    substitution::unexpanded_variable::RULE,
    substitution::unsupported_expression::RULE,
    substitution::invalid_variable_name::RULE,
    timing::critical_path::RULE,
    timing::dominant_delay::RULE,
    timing::worker_starvation::RULE,
    timing::unjustified_dependency::RULE,
    timing::redundant_dependency::RULE,
    timing::implicit_ordering::RULE,
    timing::retry_cliff::RULE,
    timing::timeout_inversion::RULE,
    timing::unwaited_dependency::RULE,
    timing::stale_substitution::RULE,
    timing::repeated_job::RULE,
    timing::awaited_address::RULE,
    timing::bootstrap_budget::RULE,
    validation::unread_value::RULE,
    sources::source_unavailable::RULE,
    sources::floating_ref::RULE,
    sources::render_gap::RULE,
    sources::remote_base::RULE,
];

/// The rule of an id, in any case, or of a name.
pub fn find(rule: &str) -> Option<&'static Rule> {
    RULES
        .iter()
        .find(|known| known.id.eq_ignore_ascii_case(rule) || known.name == rule)
}
