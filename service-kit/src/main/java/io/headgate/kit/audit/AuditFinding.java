package io.headgate.kit.audit;

import java.util.Optional;

/// The result of checking a part of a chain.
///
/// @param checked entries that were compared
/// @param reached last entry that was compared; empty: there was none
/// @param complete whether the chain ends here, or has a fault here
/// @param fault first disagreement
/// @param unchained entries from before there was a chain; counted when the chain ends
public record AuditFinding(
    long checked,
    Optional<AuditAnchor> reached,
    boolean complete,
    Optional<Fault> fault,
    long unchained) {

  /// A disagreement of log and chain.
  public sealed interface Fault {
    /// The log or the chain lacks the entry.
    ///
    /// @param auditId id in the log; 0: the chain has no row that names it
    record Missing(long sequence, long auditId) implements Fault {}

    /// The chain ends before an anchor.
    record CutOff(long sequence) implements Fault {}

    /// The entry, or its place, is not the one that was chained.
    record Changed(long sequence, long auditId) implements Fault {}

    /// The log has an entry that was never chained.
    record Added(long auditId) implements Fault {}
  }
}
