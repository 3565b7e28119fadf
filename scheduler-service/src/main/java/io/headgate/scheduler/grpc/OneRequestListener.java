package io.headgate.scheduler.grpc;

import io.grpc.ServerCall;
import io.headgate.kit.failure.Refusal;
import org.jspecify.annotations.Nullable;

/// Hears the caller of a call with one request.
abstract class OneRequestListener<Q> extends ServerCall.Listener<Q> {
  private volatile @Nullable Q request;

  /// Asks for the request, and for a second one to find out that there is none.
  static void ask(ServerCall<?, ?> call) {
    call.request(2);
  }

  @Override
  public final void onMessage(Q message) {
    request = message;
  }

  @Override
  public final void onHalfClose() {
    Q message = request;
    if (message == null) {
      throw Refusal.invalid("MALFORMED_REQUEST", "the call has no request").exception();
    }
    onRequest(message);
  }

  /// The whole request is there.
  abstract void onRequest(Q message);
}
