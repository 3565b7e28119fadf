package io.headgate.policy.grpc;

import io.grpc.stub.StreamObserver;
import io.headgate.kit.decision.DeniedException;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.RefusalException;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.identity.Caller;
import io.headgate.policy.runtime.RefusedCalls;
import io.headgate.policy.runtime.port.Origin;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/// Answers unary calls. It puts denials into words, and records refused attempts to reach foreign
/// resources in the audit log.
final class Answers {
  /// Refusals of access to a foreign tenant or key. A typing error causes the same refusal, so they
  /// are only recorded.
  private static final Set<String> NOTED = Set.of("TENANT_NOT_FOUND", "KEY_NOT_ALLOWED");

  private final RefusedCalls refused;

  Answers(RefusedCalls refused) {
    this.refused = refused;
  }

  /// Answers a call that changes nothing.
  <A> void read(StreamObserver<A> out, Function<Origin, A> work) {
    answer(out, () -> work.apply(CallFacts.current().origin()));
  }

  /// Answers a call that changes something.
  ///
  /// @param target the resource of the call, as the request names it
  <A> void change(StreamObserver<A> out, String target, Function<Origin, A> work) {
    CallFacts facts = CallFacts.current();
    answer(
        out,
        () -> {
          Origin origin = facts.origin();
          try {
            return work.apply(origin);
          } catch (RefusalException e) {
            note(origin, facts.action(), target, e.refusal());
            throw e;
          } catch (DeniedException e) {
            Refusal refusal = DenialRefusals.of(e.denials(Denial.class));
            note(origin, facts.action(), target, refusal);
            throw refusal.exception();
          }
        });
  }

  private void note(Origin origin, String action, String target, Refusal refusal) {
    Optional<Caller> caller = origin.caller();
    if (caller.isPresent() && NOTED.contains(refusal.reason())) {
      refused.record(origin, caller.get().tenant(), action, target, refusal.reason());
    }
  }

  private static <A> void answer(StreamObserver<A> out, Supplier<A> work) {
    A answer;
    try {
      answer = work.get();
    } catch (DeniedException e) {
      throw DenialRefusals.of(e.denials(Denial.class)).exception();
    }
    out.onNext(answer);
    out.onCompleted();
  }
}
