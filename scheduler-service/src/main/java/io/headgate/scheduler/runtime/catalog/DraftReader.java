package io.headgate.scheduler.runtime.catalog;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.Document;

/// Reads configurations that are not provisioned, in the form of the contract.
public interface DraftReader {
  /// Pools, profiles and links.
  ///
  /// @throws UnreadableDraftException when a part of it says nothing sensible
  Supply supply(TenantId tenant, Document document);

  /// Groups, policies and queues.
  ///
  /// @throws UnreadableDraftException when a part of it says nothing sensible
  Access access(TenantId tenant, Document document);

  /// A part that cannot be read.
  final class UnreadableDraftException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String field;

    /// @param field path of the part in the document
    public UnreadableDraftException(String field, String message) {
      super(message);
      this.field = field;
    }

    public String field() {
      return field;
    }
  }
}
