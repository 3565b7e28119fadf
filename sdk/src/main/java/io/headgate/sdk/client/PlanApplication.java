package io.headgate.sdk.client;

import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationDiff;
import io.headgate.sdk.model.ConfigurationState;
import io.headgate.sdk.model.ConfigurationState.Versions;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.HeadgateException.Failure;
import io.headgate.sdk.wire.ConfigurationCalls;
import io.headgate.sdk.wire.ConfigurationCalls.InForce;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Applies a plan in two transactions of two services. After a failure it finds out which of them
/// took effect.
record PlanApplication(
    ConfigurationCalls calls, InForce inForce, Configuration wanted, ConfigurationDiff diff) {

  Versions run() {
    Versions base = inForce.state().versions();
    Optional<Long> provisioned = Optional.empty();
    if (diff.changesResources()) {
      // The user's confirmation takes time; this check finds changes made since the plan.
      calls.check(wanted, inForce, true);
    }
    try {
      if (diff.changesResources()) {
        provisioned = Optional.of(calls.provision(wanted, inForce, requestId()));
      }
      long access = base.access();
      if (diff.changesAccess()) {
        access = calls.replaceAccess(wanted, inForce, requestId());
      }
      return new Versions(provisioned.orElse(base.resources()), access);
    } catch (HeadgateException e) {
      return afterFailure(e, provisioned);
    }
  }

  /// The answer may have been lost, so the configuration in force decides what took effect.
  private Versions afterFailure(HeadgateException failure, Optional<Long> provisioned) {
    Optional<ConfigurationState> now = readBack(failure);
    if (now.isEmpty()) {
      if (provisioned.isPresent()) {
        throw partlyApplied(failure, provisioned.get().toString());
      }
      throw isRefusal(failure) ? failure : outcomeUnknown(failure);
    }
    ConfigurationDiff left = ConfigurationDiff.between(now.get().configuration(), wanted);
    if (left.isEmpty()) {
      return now.get().versions();
    }
    boolean resourcesAreIn =
        provisioned.isPresent() || (diff.changesResources() && !left.changesResources());
    throw resourcesAreIn ? partlyApplied(failure, now.get().versions().toString()) : failure;
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

  private static HeadgateException partlyApplied(HeadgateException cause, String version) {
    return because(
        cause,
        Plan.PARTLY_APPLIED,
        "pools and profiles took effect (version "
            + version
            + "), groups, policies and queues did not: "
            + cause.getMessage(),
        Map.of("version", version));
  }

  private static HeadgateException outcomeUnknown(HeadgateException cause) {
    return because(
        cause,
        Plan.OUTCOME_UNKNOWN,
        "it is not known whether the change took effect: " + cause.getMessage(),
        Map.of());
  }

  private static HeadgateException because(
      HeadgateException cause, String reason, String message, Map<String, String> more) {
    Failure failure = cause.failure();
    Map<String, String> metadata = new HashMap<>(failure.metadata());
    metadata.putAll(more);
    return new HeadgateException(
        new Failure(
            failure.code(),
            reason,
            message,
            failure.violations(),
            metadata,
            failure.requestId(),
            failure.traceId(),
            failure.retryDelay()),
        cause);
  }

  private static String requestId() {
    return UUID.randomUUID().toString();
  }
}
