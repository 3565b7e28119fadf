package io.headgate.kit.grpc;

import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.concurrent.Executor;

/// Where what is said to a client is best said.
public final class CallThreads {
  private CallThreads() {}

  /// The thread that writes to the connection of the call that this thread serves. Several messages
  /// given to the stream in one task there cost one hand-over and one write; from elsewhere each
  /// costs its own. A task must not block. In order, one at a time.
  ///
  /// @throws IllegalStateException outside of a call
  public static Executor writer() {
    return ServiceRequestContext.current().eventLoop().withoutContext();
  }
}
