package io.headgate.policy.grpc;

import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.headgate.kit.grpc.MessageBytes;
import io.headgate.policy.runtime.IdempotentRequest;
import io.headgate.policy.runtime.port.RequestKey;
import java.util.Optional;
import java.util.function.Function;

/// Makes requests with a request id idempotent.
final class IdempotentRequests {
  private static final String REQUEST_ID = "request_id";

  private IdempotentRequests() {}

  /// The idempotent execution of `request`.
  ///
  /// @param answer to the result
  /// @param parser of that answer
  static <T, A extends Message> IdempotentRequest<T, A> of(
      Message request, Function<T, A> answer, Parser<A> parser) {
    var field = request.getDescriptorForType().findFieldByName(REQUEST_ID);
    return of(request, (String) request.getField(field), answer, parser);
  }

  /// Like the other, with an id in place of the request id; empty: each repetition is new.
  static <T, A extends Message> IdempotentRequest<T, A> of(
      Message request, String id, Function<T, A> answer, Parser<A> parser) {
    return new IdempotentRequest<>(
        key(request, id),
        answer,
        Message::toByteArray,
        bytes -> MessageBytes.stored(parser, bytes));
  }

  private static Optional<RequestKey> key(Message request, String id) {
    var field = request.getDescriptorForType().findFieldByName(REQUEST_ID);
    if (id.isEmpty()) {
      return Optional.empty();
    }
    CallFacts facts = CallFacts.current();
    byte[] body = MessageBytes.deterministic(request.toBuilder().clearField(field).build());
    return Optional.of(
        new RequestKey(facts.origin().required().subject(), facts.method(), id, () -> body));
  }
}
