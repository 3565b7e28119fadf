package io.headgate.pool.core.draft;

/// A change of supply and rights, which two services carry out together.
///
/// @param resourceVersion of the supply with the change
/// @param accessVersion of the rights with the change
public record JointChange(String id, long resourceVersion, long accessVersion) {}
