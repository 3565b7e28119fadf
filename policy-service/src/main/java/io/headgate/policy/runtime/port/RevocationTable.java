package io.headgate.policy.runtime.port;

import io.headgate.kit.auth.Revocations.News;
import io.headgate.kit.position.WatchPosition;
import java.time.Instant;

/// The tokens that ended before their time.
public interface RevocationTable {
  /// Ends the tokens that were made from `name` until now, and notifies watchers. Call it last in a
  /// transaction, because it locks the row that all revocations need.
  ///
  /// @param name `keys/ID`, a subject or `tenants/ID`
  void add(String name, Instant at);

  /// The position of the last revocation.
  WatchPosition position();

  /// The revocations after `seen`. It is a full snapshot if `seen` is no version, a future version,
  /// or a version of another incarnation.
  News since(WatchPosition seen);
}
