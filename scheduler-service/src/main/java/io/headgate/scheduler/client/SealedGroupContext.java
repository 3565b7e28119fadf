package io.headgate.scheduler.client;

import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.instance.impl.DefaultNodeContext;
import com.hazelcast.instance.impl.DefaultNodeExtension;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.instance.impl.NodeExtension;
import com.hazelcast.internal.networking.InboundHandler;
import com.hazelcast.internal.networking.OutboundHandler;
import com.hazelcast.internal.server.ServerConnection;
import com.hazelcast.internal.server.ServerContext;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A Hazelcast member whose connections all carry a [GroupSeal]. Connections that have not proved
/// the group's secret yet are few: a further one ends the oldest of them.
final class SealedGroupContext extends DefaultNodeContext {
  /// Most connections without proof. A group has at most a handful of members.
  static final int UNPROVED = 32;

  private static final String SEAL = "headgate.seal";

  private final byte[] secret;
  private final Consumer<String> refused;

  /// @param secret which all members share
  /// @param refused receives a sentence for each connection that ends without the proof
  SealedGroupContext(byte[] secret, Consumer<String> refused) {
    this.secret = secret.clone();
    this.refused = refused;
  }

  @Override
  public NodeExtension createNodeExtension(Node node) {
    return new Extension(node, secret, refused);
  }

  private static final class Extension extends DefaultNodeExtension {
    private final byte[] secret;
    private final Consumer<String> refused;
    private final Deque<ServerConnection> unproved = new ArrayDeque<>();

    Extension(Node node, byte[] secret, Consumer<String> refused) {
      super(node);
      this.secret = secret;
      this.refused = refused;
    }

    @Override
    @SuppressWarnings("rawtypes") // As Hazelcast declares it.
    public InboundHandler[] createInboundHandlers(
        EndpointQualifier qualifier, ServerConnection connection, ServerContext context) {
      return Stream.concat(
              Stream.of(seal(connection).new Opener()),
              Stream.of(super.createInboundHandlers(qualifier, connection, context)))
          .toArray(InboundHandler[]::new);
    }

    @Override
    @SuppressWarnings("rawtypes") // As Hazelcast declares it.
    public OutboundHandler[] createOutboundHandlers(
        EndpointQualifier qualifier, ServerConnection connection, ServerContext context) {
      return Stream.concat(
              Stream.of(super.createOutboundHandlers(qualifier, connection, context)),
              Stream.of(seal(connection).new Sealer()))
          .toArray(OutboundHandler[]::new);
    }

    /// The seal that both directions of a connection share.
    @SuppressWarnings("unchecked") // Hazelcast's map has no types.
    private GroupSeal seal(ServerConnection connection) {
      return (GroupSeal)
          connection
              .attributeMap()
              .computeIfAbsent(
                  SEAL,
                  _ -> {
                    admit(connection);
                    return new GroupSeal(secret, proof(connection));
                  });
    }

    private void admit(ServerConnection connection) {
      ServerConnection oldest = null;
      synchronized (unproved) {
        unproved.removeIf(each -> !each.isAlive());
        unproved.add(connection);
        if (unproved.size() > UNPROVED) {
          oldest = unproved.remove();
        }
      }
      end(oldest);
    }

    private void end(@Nullable ServerConnection connection) {
      if (connection != null) {
        connection.close("more than " + UNPROVED + " connections lack the proof", null);
        refused.accept("%s: too slow to prove".formatted(connection.getRemoteSocketAddress()));
      }
    }

    private GroupSeal.Proof proof(ServerConnection connection) {
      return new GroupSeal.Proof() {
        @Override
        public void accepted() {
          synchronized (unproved) {
            unproved.remove(connection);
          }
        }

        @Override
        public void refused(String why) {
          refused.accept("%s: %s".formatted(connection.getRemoteSocketAddress(), why));
        }
      };
    }
  }
}
