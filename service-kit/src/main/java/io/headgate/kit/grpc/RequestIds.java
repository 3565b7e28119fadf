package io.headgate.kit.grpc;

/// The id of the RPC being served: the one in logs, in every answer's `x-request-id` and in every
/// refusal. What a handler changes is recorded under it.
public final class RequestIds {
  private RequestIds() {}

  /// The id of the call that this thread serves.
  ///
  /// @throws IllegalStateException outside of a call
  public static String current() {
    String id = FailureInterceptor.REQUEST_ID_KEY.get();
    if (id == null) {
      throw new IllegalStateException("no call is being served");
    }
    return id;
  }
}
