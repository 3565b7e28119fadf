package io.headgate.sdk.client;

import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationDiff;
import io.headgate.sdk.model.ConfigurationState;
import io.headgate.sdk.model.ConfigurationState.Versions;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.HeadgateException.Failure;
import io.headgate.sdk.wire.ConfigurationCalls;
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
      if (isRefusal(e)) {
        throw e;
      }
      return afterLostAnswer(e);
    }
  }

  /// The answer was lost, so the configuration in force tells whether the change is in it.
  private Versions afterLostAnswer(HeadgateException failure) {
    Optional<ConfigurationState> now = readBack(failure);
    if (now.isPresent() && ConfigurationDiff.between(now.get().configuration(), wanted).isEmpty()) {
      return now.get().versions();
    }
    throw outcomeUnknown(failure);
  }

  private Optional<ConfigurationState> readBack(HeadgateException failure) {
    try {
      return Optional.of(calls.read().state());
    } catch (HeadgateException e) {
      failure.addSuppressed(e);
      return Optional.empty();
    }
  }

  /// Whether the server decided against it; otherwise its answer may have been lost.
  private static boolean isRefusal(HeadgateException failure) {
    return switch (failure.code()) {
      case INVALID_ARGUMENT,
          NOT_FOUND,
          ALREADY_EXISTS,
          PERMISSION_DENIED,
          RESOURCE_EXHAUSTED,
          FAILED_PRECONDITION,
          ABORTED,
          OUT_OF_RANGE,
          UNIMPLEMENTED,
          UNAUTHENTICATED ->
          true;
      case CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE, DATA_LOSS -> false;
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
