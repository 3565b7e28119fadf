package io.headgate.policy.runtime.port;

import java.util.List;

/// The audit log; it only grows.
public interface AuditTable {
  /// Appends the entries in their order, in few round trips.
  void append(List<AuditEntry> entries);
}
