package io.headgate.pool.grpc;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.decision.DeniedException;
import io.headgate.kit.grpc.MessageBytes;
import io.headgate.kit.grpc.RequestIds;
import io.headgate.pool.core.Denial;
import io.headgate.pool.runtime.Caller;
import io.headgate.pool.runtime.IdempotentRequest;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// The work around every handler.
final class Answers {
  private Answers() {}

  /// Answers with the result of `work`, or with the refusal that its denials stand for.
  static <T> void send(StreamObserver<T> out, Supplier<T> work) {
    T answer;
    try {
      answer = work.get();
    } catch (DeniedException e) {
      throw Refusals.of(e.denials(Denial.class)).exception();
    }
    out.onNext(answer);
    out.onCompleted();
  }

  /// The caller and the id of the call.
  static Caller caller() {
    return new Caller(Principals.current().subject(), RequestIds.current());
  }

  /// A request that is idempotent if it has an id.
  ///
  /// @param id of the request; empty: none
  /// @param body the request without the id
  static <T> IdempotentRequest<T> once(
      MethodDescriptor<?, ?> method, String id, Message body, Function<T, Message> answer) {
    return new IdempotentRequest<>(
        method.getFullMethodName(),
        id.isEmpty() ? Optional.empty() : Optional.of(id),
        () -> MessageBytes.deterministic(body),
        made -> answer.apply(made).toByteArray());
  }
}
