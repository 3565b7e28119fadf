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

/// An expected "no", as a value: what a caller is told when it asked for something that cannot be.
/// {@link GrpcFailures} is the one place that turns it into a status; throw it with {@link
/// #exception()}.
///
/// @param code the gRPC code; clients decide by it whether to retry
/// @param reason stable, UPPER_SNAKE; programs switch on it
/// @param message what is wrong with the value and what to do, for people
/// @param violations the wrong fields of the request, by path
/// @param metadata the numbers behind the message, by lowerCamel key
/// @param retryAfter how long to wait before trying again, where trying again may help
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
  /// @param description what is wrong
  /// @param reason stable, as that of the refusal, which may have several fields for several
  ///   reasons
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

  /// The request is wrong whatever the state of the system; retrying it cannot help.
  public static Refusal invalid(String reason, String message) {
    return of(Status.Code.INVALID_ARGUMENT, reason, message);
  }

  /// One field of the request is wrong.
  public static Refusal invalidField(String reason, String field, String description) {
    return invalid(reason, field + ": " + description).withViolation(field, description);
  }

  /// There is no such thing, or none that the caller may know of.
  public static Refusal notFound(String reason, String message) {
    return of(Status.Code.NOT_FOUND, reason, message);
  }

  /// The name is taken.
  public static Refusal alreadyExists(String reason, String message) {
    return of(Status.Code.ALREADY_EXISTS, reason, message);
  }

  /// The state of the system does not allow it now; something else must change first.
  public static Refusal failedPrecondition(String reason, String message) {
    return of(Status.Code.FAILED_PRECONDITION, reason, message);
  }

  /// The caller is known and may not do this.
  public static Refusal permissionDenied(String reason, String message) {
    return of(Status.Code.PERMISSION_DENIED, reason, message);
  }

  /// Somebody else changed the same thing first; read it again and retry.
  public static Refusal conflict(String reason, String message) {
    return of(Status.Code.ABORTED, reason, message);
  }

  /// Too much at once; the same request may succeed after `retryAfter`.
  public static Refusal exhausted(String reason, String message, Duration retryAfter) {
    return of(Status.Code.RESOURCE_EXHAUSTED, reason, message).withRetryAfter(retryAfter);
  }

  /// Something that this needs is not there; the same request may succeed after `retryAfter`.
  public static Refusal unavailable(String reason, String message, Duration retryAfter) {
    return of(Status.Code.UNAVAILABLE, reason, message).withRetryAfter(retryAfter);
  }

  /// Names a wrong field, wrong for the refusal's own reason.
  public Refusal withViolation(String field, String description) {
    return withViolation(new FieldViolation(field, description, reason));
  }

  public Refusal withViolation(FieldViolation violation) {
    List<FieldViolation> all = new ArrayList<>(violations);
    all.add(violation);
    return new Refusal(code, reason, message, all, metadata, retryAfter);
  }

  public Refusal withMetadata(String key, Object value) {
    Map<String, String> all = new LinkedHashMap<>(metadata);
    all.put(key, String.valueOf(value));
    return new Refusal(code, reason, message, violations, all, retryAfter);
  }

  public Refusal withRetryAfter(Duration delay) {
    return new Refusal(code, reason, message, violations, metadata, delay);
  }

  /// The wait that the refusal names, if it names one.
  public Optional<Duration> retryDelay() {
    return Optional.ofNullable(retryAfter);
  }

  public RefusalException exception() {
    return new RefusalException(this);
  }
}
