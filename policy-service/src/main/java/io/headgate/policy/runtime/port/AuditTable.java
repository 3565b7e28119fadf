package io.headgate.policy.runtime.port;

import io.headgate.policy.runtime.AuditEntry;

/// What happened, for ever.
public interface AuditTable {
  void append(AuditEntry entry);
}
