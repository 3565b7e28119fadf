package io.headgate.kit.grpc;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.kit.auth.Principals;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/// Where a call comes from, to [share][FairBound] a resource fairly.
///
/// @param connection id of the connection; empty: unknown
/// @param caller subject of the principal; empty: anonymous
/// @param tenant id of the caller's tenant; for a caller without one, the caller itself
public record CallOrigin(String connection, String caller, String tenant) {

  /// The origin of the call that is being served.
  public static CallOrigin current() {
    return Principals.find()
        .map(principal -> {
          @Nullable String tenant = principal.tenant();
          return new CallOrigin(
              idOfConnection(), principal.subject(), tenant == null ? principal.subject() : tenant);
        })
        .orElseGet(() -> new CallOrigin(idOfConnection(), "", ""));
  }

  private static String idOfConnection() {
    @Nullable ServiceRequestContext call = CallThreads.CALL.get();
    @Nullable Channel channel = call == null ? null : call.log().partial().channel();
    return channel == null ? "" : channel.id().asLongText();
  }
}
