package io.headgate.kit.grpc;

/// The id of the current RPC. It appears in logs, in every answer's `x-request-id`, in every
/// refusal and in the audit log.
public final class RequestIds {
  private RequestIds() {}

  /// The id of the current call.
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
