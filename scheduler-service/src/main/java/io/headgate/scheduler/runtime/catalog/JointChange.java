package io.headgate.scheduler.runtime.catalog;

/// A change of supply and rights, as each of its halves names it.
///
/// @param resourceVersion of the supply with the change
/// @param accessVersion of the rights with the change; 0: not decided yet
public record JointChange(String id, long resourceVersion, long accessVersion) {}
