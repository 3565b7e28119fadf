package io.headgate.kit.grpc;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Context;

/// Where the RPC being served comes from: the address of the other end of its connection, which
/// behind a proxy is the proxy's. For records and rate limits, never for access.
public final class ClientAddresses {
  static final Context.Key<String> KEY = Context.key("client-address");

  private static final String UNKNOWN = "unknown";

  private ClientAddresses() {}

  /// The IP address, without port, of the client of the call that this thread serves.
  ///
  /// @throws IllegalStateException outside of a call
  public static String current() {
    String address = KEY.get();
    if (address == null) {
      throw new IllegalStateException("no call is being served");
    }
    return address;
  }

  /// The address that the server's own context of this request names.
  static String ofRequest() {
    ServiceRequestContext request = ServiceRequestContext.currentOrNull();
    return request == null || request.remoteAddress().getAddress() == null
        ? UNKNOWN
        : request.remoteAddress().getAddress().getHostAddress();
  }
}
