package io.headgate.policy.runtime.port;

/// The audit log; it only grows.
public interface AuditTable {
  void append(AuditEntry entry);
}
