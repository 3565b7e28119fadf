package io.headgate.kit.failure;

import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// An expected refusal as a value. {@link GrpcFailures} turns it into a status; throw it with
/// {@link #exception()}.
///
/// @param code the gRPC code; clients decide by it whether to retry
/// @param reason stable, UPPER_SNAKE; programs switch on it
/// @param message the fault and its remedy, for people
/// @param violations the wrong fields of the request, by path
/// @param metadata the numbers behind the message, by lowerCamel key
/// @param retryAfter wait before a retry; absent where a retry cannot help
public record Refusal(
    Status.Code code,
    String reason,
    String message,
    List<FieldViolation> violations,
    Map<String, String> metadata,
    @Nullable Duration retryAfter) {

  private static final Pattern REASON = Pattern.compile("[A-Z][A-Z0-9_]{0,62}");

  /// A wrong field.
  ///
  /// @param field its path in the request, `job.spec.gpus`, `queues[2].name`
  /// @param description the fault
  /// @param reason stable; fields of one refusal may have different reasons
  public record FieldViolation(String field, String description, String reason) {}

  public Refusal {
    if (code == Status.Code.OK) {
      throw new IllegalArgumentException("a refusal is not OK");
    }
    if (!REASON.matcher(reason).matches()) {
      throw new IllegalArgumentException("reason '" + reason + "' is not " + REASON);
    }
    violations = List.copyOf(violations);
    metadata = Map.copyOf(metadata);
  }

  public static Refusal of(Status.Code code, String reason, String message) {
    return new Refusal(code, reason, message, List.of(), Map.of(), null);
  }

  /// The request is wrong in any state of the system; a retry cannot help.
  public static Refusal invalid(String reason, String message) {
    return of(Status.Code.INVALID_ARGUMENT, reason, message);
  }

  /// One field of the request is wrong.
  public static Refusal invalidField(String reason, String field, String description) {
    return invalid(reason, field + ": " + description).withViolation(field, description);
  }

  /// The resource does not exist, or the caller may not see it.
  public static Refusal notFound(String reason, String message) {
    return of(Status.Code.NOT_FOUND, reason, message);
  }

  /// The name is taken.
  public static Refusal alreadyExists(String reason, String message) {
    return of(Status.Code.ALREADY_EXISTS, reason, message);
  }

  /// The state of the system does not allow it now and must change first.
  public static Refusal failedPrecondition(String reason, String message) {
    return of(Status.Code.FAILED_PRECONDITION, reason, message);
  }

  /// The caller lacks the right.
  public static Refusal permissionDenied(String reason, String message) {
    return of(Status.Code.PERMISSION_DENIED, reason, message);
  }

  /// A concurrent change came first; read the resource again and retry.
  public static Refusal conflict(String reason, String message) {
    return of(Status.Code.ABORTED, reason, message);
  }

  /// A limit is exceeded; the same request may succeed after `retryAfter`.
  public static Refusal exhausted(String reason, String message, Duration retryAfter) {
    return of(Status.Code.RESOURCE_EXHAUSTED, reason, message).withRetryAfter(retryAfter);
  }

  /// A dependency is missing; the same request may succeed after `retryAfter`.
  public static Refusal unavailable(String reason, String message, Duration retryAfter) {
    return of(Status.Code.UNAVAILABLE, reason, message).withRetryAfter(retryAfter);
  }

  /// Adds a wrong field with the reason of the refusal.
  public Refusal withViolation(String field, String description) {
    return withViolation(new FieldViolation(field, description, reason));
  }

  public Refusal withViolation(FieldViolation violation) {
    List<FieldViolation> all = new ArrayList<>(violations);
    all.add(violation);
    return new Refusal(code, reason, message, all, metadata, retryAfter);
  }

  /// Says that `count` more fields are wrong than the refusal names.
  public Refusal withOmittedViolations(int count) {
    return withMetadata(StatusBound.OMITTED, count);
  }

  public Refusal withMetadata(String key, Object value) {
    Map<String, String> all = new LinkedHashMap<>(metadata);
    all.put(key, String.valueOf(value));
    return new Refusal(code, reason, message, violations, all, retryAfter);
  }

  public Refusal withRetryAfter(Duration delay) {
    return new Refusal(code, reason, message, violations, metadata, delay);
  }

  /// The wait before a retry, if there is one.
  public Optional<Duration> retryDelay() {
    return Optional.ofNullable(retryAfter);
  }

  public RefusalException exception() {
    return new RefusalException(this);
  }
}
