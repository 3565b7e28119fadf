package io.headgate.kit.grpc;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.kit.grpc.Connections.Connection;
import java.util.Optional;

/// The [connection][Connections] of a call without a token, for a service that learns its caller
/// from the call itself, such as the exchange of a good secret. Without the proof such a connection
/// is among the first that give way.
public final class ProvenConnection {
  private final Optional<Connection> connection;

  private ProvenConnection(Optional<Connection> connection) {
    this.connection = connection;
  }

  /// The connection of the present call; called on the thread that the call came on.
  public static ProvenConnection ofCall() {
    return new ProvenConnection(Connections.of(ServiceRequestContext.currentOrNull()));
  }

  /// The call was a good one.
  ///
  /// @param caller its name, without a secret
  public void prove(String caller) {
    connection.ifPresent(it -> it.prove(caller));
  }
}
