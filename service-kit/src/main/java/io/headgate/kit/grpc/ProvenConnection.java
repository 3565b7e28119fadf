package io.headgate.kit.grpc;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.kit.grpc.Connections.Connection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The [connection][Connections] of a call without a token, for a service that learns its caller
/// from the call itself, such as the exchange of a good secret. Without the proof such a connection
/// is among the first that give way.
///
/// A connection that is proven on the [loop of strangers][StrangersLoop] cannot leave it. Its cost
/// is given back to the share of strangers. Its client is asked to connect again (GOAWAY), and
/// shows its token first then. Calls in progress go on.
public final class ProvenConnection {
  private final @Nullable ServiceRequestContext call;
  private final Optional<Connection> connection;

  private ProvenConnection(@Nullable ServiceRequestContext call) {
    this.call = call;
    this.connection = Connections.of(call);
  }

  /// The connection of the present call; called on the thread that the call came on.
  public static ProvenConnection ofCall() {
    return new ProvenConnection(ServiceRequestContext.currentOrNull());
  }

  /// The call was a good one.
  ///
  /// @param caller its name, without a secret
  public void prove(String caller) {
    boolean isNew = connection.isPresent() && connection.get().prove(caller);
    if (call != null) {
      StrangersLoop.proven(call, caller, isNew);
    }
  }
}
