package io.headgate.kit.grpc;

import com.linecorp.armeria.common.ExchangeType;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.RoutingContext;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;
import com.linecorp.armeria.server.grpc.GrpcService;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerMethodDefinition;

/// Limits a unary request's whole length to what its method allows, and lifts the limits of whole
/// length and time from streams, which have neither; each of their messages is still limited.
final class RequestLimits extends SimpleDecoratingHttpService {

  /// Room for the frame around a message; the message's own limit is gRPC's.
  static final int FRAME_BYTES = 16 << 10;

  private final RequestSizes sizes;

  RequestLimits(HttpService delegate, RequestSizes sizes) {
    super(delegate);
    this.sizes = sizes;
  }

  /// A request that is exchanged as a whole is read before [#serve], and so within the server's own
  /// bound; one whose method allows more is not.
  @Override
  public ExchangeType exchangeType(RoutingContext routing) {
    return sizes.isLarge(routing.path())
        ? ExchangeType.BIDI_STREAMING
        : super.exchangeType(routing);
  }

  @Override
  public HttpResponse serve(ServiceRequestContext context, HttpRequest request) throws Exception {
    GrpcService grpc = unwrap().as(GrpcService.class);
    ServerMethodDefinition<?, ?> method = grpc == null ? null : grpc.methodDefinition(context);
    if (method != null && method.getMethodDescriptor().getType() != MethodType.UNARY) {
      context.clearRequestTimeout();
      context.setMaxRequestLength(0);
    } else if (method != null) {
      // A large message is refused by the length that its frame declares, in words; cutting it off
      // while it is still being sent would leave the caller with the transport's.
      context.setMaxRequestLength(
          sizes.isLarge(context.path())
              ? 0
              : (long) sizes.of(method.getMethodDescriptor()) + FRAME_BYTES);
    }
    return unwrap().serve(context, request);
  }
}
