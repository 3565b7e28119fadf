package io.headgate.sdk.wire;

import io.headgate.sdk.model.HeadgateException;

/// Told what a connection does, so that somebody who waits can be told too. Called by the threads
/// that call.
public interface ConnectionListener {
  /// Hears nothing.
  ConnectionListener NONE = new ConnectionListener() {};

  /// A failed call is going to be tried again.
  default void retrying(HeadgateException failure) {}

  /// One try of a call ended.
  ///
  /// @param nanos since its first try began
  default void called(String method, String status, long nanos) {}
}
