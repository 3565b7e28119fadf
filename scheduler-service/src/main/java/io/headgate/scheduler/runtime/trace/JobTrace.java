package io.headgate.scheduler.runtime.trace;

import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.Phase;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/// The ids of a job's trace. They follow from the job and from how it was submitted, so every
/// leader, and an agent that is told, names the same spans.
///
/// @param job what all hashed ids come from
/// @param traceId of all spans of the job
/// @param caller the span that called; a parent if its trace goes on here, otherwise a link
/// @param continues whether the caller's trace goes on here
public record JobTrace(String job, String traceId, Optional<Caller> caller, boolean continues) {
  private static final HexFormat HEX = HexFormat.of();
  private static final int TRACE_BYTES = 16;
  private static final int SPAN_BYTES = 8;

  /// A span of the submission.
  public record Caller(String traceId, String spanId) {}

  public static JobTrace of(JobRecord job) {
    return of(
        job.tenant().name(),
        job.name().id(),
        job.uid(),
        Origin.parse(job.metadata().traceparent()));
  }

  /// The trace of a job of this name.
  ///
  /// @param uid tells jobs apart that have the same name one after the other
  public static JobTrace of(String tenant, String name, String uid, Origin origin) {
    String job = String.join("/", tenant, name, uid);
    return new JobTrace(
        job,
        origin.continues() ? origin.caller().orElseThrow().traceId() : hash(job, TRACE_BYTES),
        origin.caller(),
        origin.continues());
  }

  /// The span under which all phases of the job are.
  public String rootId() {
    return spanId(0, Phase.Kind.SUBMIT, 0);
  }

  public String spanId(int attempt, Phase.Kind kind, long ordinal) {
    return hash(String.join("/", job, "" + attempt, kind.name(), "" + ordinal), SPAN_BYTES);
  }

  /// The W3C `traceparent` of an attempt: what its agent and its program continue.
  ///
  /// @param sampled whether the spans of the job are written
  public String ofAttempt(int attempt, boolean sampled) {
    return "00-%s-%s-%s"
        .formatted(traceId, spanId(attempt, Phase.Kind.ATTEMPT, 0), sampled ? "01" : "00");
  }

  private static String hash(String text, int bytes) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      // Zeros alone are no id.
      hash[bytes - 1] |= 1;
      return HEX.formatHex(hash, 0, bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
