package io.headgate.sdk.model;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A call that the server refused or that did not reach it. The client has already retried where
/// retrying can help.
public final class HeadgateException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Failure failure;

  public HeadgateException(Failure failure, @Nullable Throwable cause) {
    super(failure.message(), cause);
    this.failure = failure;
  }

  /// Everything that is known about a failed call.
  ///
  /// @param reason stable code such as `QUEUE_NOT_FOUND`; the name of the status code when the
  ///   failure is not one that a service explains
  /// @param message what is wrong with which value, and what to do
  /// @param violations fields that are wrong
  /// @param metadata the numbers by name
  /// @param requestId the server's name for the request; null: it never answered
  /// @param traceId under which the request is found in traces
  /// @param retryDelay how long the server asks to wait before a retry; null: it says nothing
  public record Failure(
      StatusCode code,
      String reason,
      String message,
      List<FieldViolation> violations,
      Map<String, String> metadata,
      @Nullable String requestId,
      String traceId,
      @Nullable Duration retryDelay) {
    public Failure {
      violations = List.copyOf(violations);
      metadata = Map.copyOf(metadata);
    }

    /// How many more fields are wrong than `violations` names; a server names the first ones.
    public int omittedViolations() {
      String omitted = metadata.getOrDefault("omittedViolations", "0");
      return omitted.matches("[0-9]{1,9}") ? Integer.parseInt(omitted) : 0;
    }
  }

  /// One wrong field.
  public record FieldViolation(String field, String description) {}

  public Failure failure() {
    return failure;
  }

  public StatusCode code() {
    return failure.code();
  }

  public String reason() {
    return failure.reason();
  }

  /// The first wrong field, where the server names one.
  public Optional<String> field() {
    return failure.violations().stream().map(FieldViolation::field).findFirst();
  }
}
