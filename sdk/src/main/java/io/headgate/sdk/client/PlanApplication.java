package io.headgate.sdk.client;

import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationDiff;
import io.headgate.sdk.model.ConfigurationState;
import io.headgate.sdk.model.ConfigurationState.Versions;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.HeadgateException.Failure;
import io.headgate.sdk.wire.ConfigurationCalls;
import io.headgate.sdk.wire.ConfigurationCalls.Committed;
import io.headgate.sdk.wire.ConfigurationCalls.InForce;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Applies a plan as one change of two services: one call prepares it, and the next one decides it
/// for both. Between the two nothing is in force.
record PlanApplication(
    ConfigurationCalls calls, InForce inForce, Configuration wanted, ConfigurationDiff diff) {

  /// @param discardDraftsOf subjects of others whose edits of the draft may be lost
  Versions run(List<String> discardDraftsOf) {
    if (diff.isEmpty()) {
      return inForce.state().versions();
    }
    String change = UUID.randomUUID().toString();
    calls.prepare(wanted, inForce, change, diff.changesResources(), discardDraftsOf);
    try {
      return calls.commit(wanted, inForce, change);
    } catch (HeadgateException e) {
      if (isDecision(e)) {
        throw e;
      }
      return afterLostAnswer(e, change);
    }
  }

  /// An answer may have been lost, so the configuration in force tells whether the change is in it.
  private Versions afterLostAnswer(HeadgateException failure, String change) {
    Optional<InForce> now = readBack(failure);
    Optional<Versions> inForce = now.flatMap(each -> withChange(each, change));
    if (inForce.isPresent()) {
      return inForce.get();
    }
    // The server refused the last try, and no earlier one took effect.
    throw now.isPresent() && isRefusal(failure) ? failure : outcomeUnknown(failure);
  }

  private Optional<Versions> withChange(InForce now, String change) {
    return now.committed()
        .filter(committed -> committed.change().equals(change))
        .map(Committed::versions)
        .or(() ->
            Optional.of(now.state())
                .filter(state -> ConfigurationDiff.between(state.configuration(), wanted).isEmpty())
                .map(ConfigurationState::versions));
  }

  private Optional<InForce> readBack(HeadgateException failure) {
    try {
      return Optional.of(calls.read());
    } catch (HeadgateException e) {
      failure.addSuppressed(e);
      return Optional.empty();
    }
  }

  /// Whether the server decided against this change, so that no try took effect. A repeated request
  /// of a committed change would have got its first answer.
  private static boolean isDecision(HeadgateException failure) {
    return switch (failure.code()) {
      case INVALID_ARGUMENT,
          NOT_FOUND,
          ALREADY_EXISTS,
          FAILED_PRECONDITION,
          ABORTED,
          OUT_OF_RANGE,
          UNIMPLEMENTED ->
          true;
      // Said before the change is looked at, also to the repetition of a committed one.
      case PERMISSION_DENIED, RESOURCE_EXHAUSTED, UNAUTHENTICATED -> false;
      case CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE, DATA_LOSS -> false;
    };
  }

  /// Whether the last try was answered, with a refusal.
  private static boolean isRefusal(HeadgateException failure) {
    return switch (failure.code()) {
      case PERMISSION_DENIED, RESOURCE_EXHAUSTED, UNAUTHENTICATED -> true;
      default -> false;
    };
  }

  private static HeadgateException outcomeUnknown(HeadgateException cause) {
    Failure failure = cause.failure();
    return new HeadgateException(
        new Failure(
            failure.code(),
            Plan.OUTCOME_UNKNOWN,
            "it is not known whether the change took effect: " + cause.getMessage(),
            failure.violations(),
            failure.metadata(),
            failure.requestId(),
            failure.traceId(),
            failure.retryDelay()),
        cause);
  }
}
