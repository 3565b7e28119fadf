package io.headgate.kit.grpc;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;
import com.linecorp.armeria.server.grpc.GrpcService;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerMethodDefinition;

/// Lifts the limits of a request's whole length and time from streams, which have neither; each of
/// their messages is still limited.
final class StreamLimits extends SimpleDecoratingHttpService {

  StreamLimits(HttpService delegate) {
    super(delegate);
  }

  @Override
  public HttpResponse serve(ServiceRequestContext context, HttpRequest request) throws Exception {
    GrpcService grpc = unwrap().as(GrpcService.class);
    ServerMethodDefinition<?, ?> method = grpc == null ? null : grpc.methodDefinition(context);
    if (method != null && method.getMethodDescriptor().getType() != MethodType.UNARY) {
      context.clearRequestTimeout();
      context.setMaxRequestLength(0);
    }
    return unwrap().serve(context, request);
  }
}
