package io.headgate.scheduler.runtime.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.runtime.record.Phase.Kind;
import org.junit.jupiter.api.Test;

/// The trace of a job begins with its caller or with the job.
final class OriginTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String RECORDED = "00-" + TRACE + "-00f067aa0ba902b7-01";
  private static final String UNRECORDED = "00-" + TRACE + "-00f067aa0ba902b7-00";
  private static final String CALL = "00-" + TRACE + "-1111111111111111-01";

  private static JobTrace trace(String column) {
    return JobTrace.of("acme", "train-1", "1-x", Origin.parse(column));
  }

  @Test
  void continuesTheTraceOfACallerThatWritesASpan() {
    JobTrace trace = trace(Origin.of(RECORDED, CALL, true));
    assertThat(trace.continues()).isTrue();
    assertThat(trace.traceId()).isEqualTo(TRACE);
    assertThat(trace.caller().orElseThrow().spanId()).as("the call").isEqualTo("1111111111111111");
    assertThat(trace(Origin.of(RECORDED, "", true)).caller().orElseThrow().spanId())
        .as("the client, where no call is recorded")
        .isEqualTo("00f067aa0ba902b7");
  }

  @Test
  void linksTheCallOfACallerThatWritesNoneAndOfSeveralJobs() {
    for (String column :
        new String[] {Origin.of(UNRECORDED, CALL, true), Origin.of(RECORDED, CALL, false)}) {
      JobTrace trace = trace(column);
      assertThat(trace.continues()).isFalse();
      assertThat(trace.traceId()).isNotEqualTo(TRACE).matches("[0-9a-f]{32}");
      assertThat(trace.caller().orElseThrow().traceId()).isEqualTo(TRACE);
    }
  }

  @Test
  void aCallerWithoutContextOrWithNonsenseLeavesTheJobItsOwnTrace() {
    assertThat(Origin.of("", "", true)).isEmpty();
    assertThat(Origin.of("nonsense", "", true)).isEmpty();
    assertThat(Origin.of("ff-" + TRACE + "-00f067aa0ba902b7-01", "", true)).isEmpty();
    assertThat(trace("nonsense").caller()).isEmpty();
    assertThat(trace("").traceId()).matches("[0-9a-f]{32}");
  }

  @Test
  void idsFollowFromTheJobAlone() {
    assertThat(trace("").traceId()).isEqualTo(trace("").traceId());
    assertThat(trace("").spanId(1, Kind.RUN, 0)).isEqualTo(trace("").spanId(1, Kind.RUN, 0));
    assertThat(trace("").spanId(1, Kind.RUN, 0)).isNotEqualTo(trace("").spanId(2, Kind.RUN, 0));
    assertThat(JobTrace.of("acme", "train-1", "2-x", Origin.NONE).traceId())
        .as("a later job of the same name")
        .isNotEqualTo(trace("").traceId());
  }

  @Test
  void aTraceIsSampledAsAWholeByItsId() {
    Sampling half = new Sampling(0.5);
    int written = 0;
    for (int i = 0; i < 1_000; i++) {
      JobTrace job = JobTrace.of("acme", "j-" + i, i + "-x", Origin.NONE);
      boolean isWritten = half.isWritten(job);
      written += isWritten ? 1 : 0;
      assertThat(half.traceparent(job, 1)).endsWith(isWritten ? "-01" : "-00");
      assertThat(new Sampling(1).isWritten(job)).isTrue();
      assertThat(new Sampling(0).isWritten(job)).isFalse();
    }
    assertThat(written).isBetween(400, 600);
    assertThat(new Sampling(0).isWritten(trace(Origin.of(RECORDED, CALL, true))))
        .as("a caller that writes its part decides")
        .isTrue();
  }
}
