package io.headgate.policy.grpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.headgate.policy.runtime.Once;
import io.headgate.policy.runtime.port.RequestKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.function.Function;

/// Makes requests with a request id idempotent.
final class Onces {
  private static final String REQUEST_ID = "request_id";

  private Onces() {}

  /// The idempotent execution of `request`.
  ///
  /// @param answer to the result
  /// @param parser of that answer
  static <T, A extends Message> Once<T, A> of(
      Message request, Function<T, A> answer, Parser<A> parser) {
    return new Once<>(
        key(request),
        answer,
        Message::toByteArray,
        bytes -> {
          try {
            return parser.parseFrom(bytes);
          } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a remembered answer cannot be read", e);
          }
        });
  }

  private static Optional<RequestKey> key(Message request) {
    var field = request.getDescriptorForType().findFieldByName(REQUEST_ID);
    String id = (String) request.getField(field);
    if (id.isEmpty()) {
      return Optional.empty();
    }
    CallFacts facts = CallFacts.current();
    byte[] body = bytes(request.toBuilder().clearField(field).build());
    return Optional.of(
        new RequestKey(facts.origin().required().subject(), facts.method(), id, () -> body));
  }

  /// Equal bytes for equal messages, whatever the order of their maps.
  private static byte[] bytes(Message message) {
    byte[] bytes = new byte[message.getSerializedSize()];
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.useDeterministicSerialization();
    try {
      message.writeTo(out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes;
  }
}
