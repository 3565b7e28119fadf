package io.headgate.sdk.wire;

import io.headgate.sdk.model.HeadgateException;

/// Receives the state of a connection, so that a user can be informed. The calling threads call it.
public interface ConnectionListener {
  /// Ignores everything.
  ConnectionListener NONE = new ConnectionListener() {};

  /// A failed call will be retried.
  default void retrying(HeadgateException failure) {}

  /// One try of a call ended.
  ///
  /// @param nanos since its first try began
  default void called(String method, String status, long nanos) {}
}
