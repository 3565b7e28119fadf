package io.headgate.policy.runtime.port;

/// What happened, for ever.
public interface AuditTable {
  void append(AuditEntry entry);
}
