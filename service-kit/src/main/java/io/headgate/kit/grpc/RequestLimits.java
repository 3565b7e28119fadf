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

/// Limits the total length of a unary request to the limit of its method. Streams have no limit of
/// total length or time; each of their messages is limited.
final class RequestLimits extends SimpleDecoratingHttpService {

  /// Room for the frame around a message; gRPC checks the message's own limit.
  static final int FRAME_BYTES = 16 << 10;

  private final RequestSizes sizes;

  RequestLimits(HttpService delegate, RequestSizes sizes) {
    super(delegate);
    this.sizes = sizes;
  }

  /// An aggregated request is read before [#serve], within the server's general bound. Requests to
  /// methods with a larger limit are not aggregated.
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
      // gRPC refuses a large message by the length in its frame, with a clear message. Cutting the
      // transfer off would leave the caller with a transport error.
      context.setMaxRequestLength(
          sizes.isLarge(context.path())
              ? 0
              : (long) sizes.of(method.getMethodDescriptor()) + FRAME_BYTES);
    }
    return unwrap().serve(context, request);
  }
}
