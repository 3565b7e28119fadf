package io.headgate.scheduler.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.record.JobMetadata;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.type.GpuQuantity;
import io.headgate.type.Viewer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The expected start that a waiting job shows.
class JobMapperTest {
  private static final TenantId ACME = new TenantId("acme");
  private static final PoolId POOL = new PoolId(ACME, "pool");
  private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
  private static final Instant TWO_HOURS_LATER = Instant.parse("2026-11-22T12:00:00.123Z");

  @Test
  void tellsWhenTheJobsWhosePlaceIsHeldForItEnd() {
    var job =
        JobMapper.toSummary(waiting(holding(Optional.of(TWO_HOURS_LATER))), Viewer.OF_ALL).build();

    assertThat(job.getExpectedStartTime()).isEqualTo(ProtoTimes.toProto(TWO_HOURS_LATER));
    assertThat(job.getReason().getMessage())
        .endsWith("expected to end first, by 2026-11-22T12:00:00Z");
  }

  @Test
  void promisesNoStartWithoutDeclaredRunTimes() {
    assertThat(
            JobMapper.toSummary(waiting(holding(Optional.empty())), Viewer.OF_ALL)
                .hasExpectedStartTime())
        .isFalse();
    assertThat(
            JobMapper.toSummary(
                    waiting(new Reason.Hold(POOL, GpuQuantity.ONE, new JobId(7))), Viewer.OF_ALL)
                .hasExpectedStartTime())
        .isFalse();
  }

  private static Reason holding(Optional<Instant> expectedStart) {
    return new Reason.Holding(POOL, List.of(new AttemptId(new JobId(1), 1)), expectedStart);
  }

  private static JobView waiting(Reason reason) {
    JobSpec spec =
        new JobSpec(
            new JobId(2),
            new QueueId(ACME, "queue"),
            new UserId("ada"),
            0,
            Optional.empty(),
            Optional.empty());
    JobMetadata metadata =
        new JobMetadata(
            new JobName(ACME, "train-1"),
            "policy",
            "profile",
            GpuQuantity.ONE,
            1,
            "tenants/acme/users/ada",
            false,
            List.of(),
            "",
            NOW);
    JobRecord record =
        new JobRecord(
            metadata,
            Job.submitted(spec, JobState.WAITING, 1, NOW, 0),
            JobRecord.Course.NONE,
            Optional.empty(),
            Optional.empty(),
            false,
            1);
    return new JobView(
        record, Optional.empty(), Optional.of(reason), Optional.empty(), Optional.empty());
  }
}
