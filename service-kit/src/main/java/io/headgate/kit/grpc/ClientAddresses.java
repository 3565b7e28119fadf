package io.headgate.kit.grpc;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Context;

/// The address at the other end of the current call's connection; behind a proxy it is the proxy's.
/// For audit records and rate limits, never for access.
public final class ClientAddresses {
  static final Context.Key<String> KEY = Context.key("client-address");

  private static final String UNKNOWN = "unknown";

  private ClientAddresses() {}

  /// The client's IP address, without port.
  ///
  /// @throws IllegalStateException outside of a call
  public static String current() {
    String address = KEY.get();
    if (address == null) {
      throw new IllegalStateException("no call is being served");
    }
    return address;
  }

  /// The address in the server's context of this request.
  static String ofRequest() {
    ServiceRequestContext request = ServiceRequestContext.currentOrNull();
    return request == null || request.remoteAddress().getAddress() == null
        ? UNKNOWN
        : request.remoteAddress().getAddress().getHostAddress();
  }
}
