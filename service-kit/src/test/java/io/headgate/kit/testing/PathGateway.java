package io.headgate.kit.testing;

import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.SessionProtocol;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Map;

/// A proxy that makes several servers look like one: it passes each gRPC call on to the server of
/// the call's package. Streams pass in both directions as they come. Calls to a server that is away
/// get HTTP status 503, as from any proxy.
public final class PathGateway implements AutoCloseable {
  private final ClientFactory connections =
      ClientFactory.builder().connectTimeout(Duration.ofSeconds(5)).build();
  private final Server server;

  private PathGateway(Map<String, URI> servers) {
    ServerBuilder builder =
        Server.builder()
            .http(new InetSocketAddress("127.0.0.1", 0))
            .requestTimeout(Duration.ZERO)
            .maxRequestLength(0)
            .http2MaxStreamsPerConnection(Integer.MAX_VALUE);
    servers.forEach((packageName, uri) ->
        builder.service("regex:^/" + packageName.replace(".", "\\.") + "\\..*$", passOnTo(uri)));
    server = builder.build();
  }

  /// Listens on a free port of loopback.
  ///
  /// @param servers by the package of their calls: `headgate.pool.v1`
  public static PathGateway open(Map<String, URI> servers) {
    PathGateway gateway = new PathGateway(servers);
    gateway.server.start().join();
    return gateway;
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + server.activeLocalPort());
  }

  private HttpService passOnTo(URI uri) {
    WebClient client =
        WebClient.builder(SessionProtocol.H2C.uriText() + "://" + uri.getAuthority())
            .factory(connections)
            .responseTimeout(Duration.ZERO)
            .maxResponseLength(0)
            .build();
    return (context, request) ->
        client.execute(request).recover(_ -> HttpResponse.of(HttpStatus.SERVICE_UNAVAILABLE));
  }

  @Override
  public void close() {
    server.stop().join();
    connections.close();
  }
}
