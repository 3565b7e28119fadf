package io.headgate.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.ScrapedTelemetry;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.runtime.loop.LoopMetrics.Violation;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.record.JobMetadata;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Series that a healthy, small installation does not show.
class InstrumentsTest {
  private static final TenantId ACME = new TenantId("acme");
  private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

  private ScrapedTelemetry telemetry;
  private SchedulerInstruments instruments;

  @BeforeEach
  void start() {
    telemetry = ScrapedTelemetry.start("scheduler");
    instruments = new SchedulerInstruments(telemetry.telemetry().meter("test"), "scheduler-1");
  }

  @AfterEach
  void stop() {
    telemetry.close();
  }

  private List<String> series(String name) {
    return telemetry.scrape().stream().filter(line -> line.startsWith(name + "{")).toList();
  }

  @Test
  void countsFaultsAfterWhichALeaderNoLongerTrustsItsState() {
    instruments.violated(Violation.LOOP);
    instruments.violated(Violation.DATABASE);
    instruments.violated(Violation.DATABASE);
    assertThat(series("headgate_scheduler_invariant_violations_total"))
        .hasSize(2)
        .anyMatch(line -> line.contains("headgate_kind=\"loop\"") && line.endsWith(" 1.0"))
        .anyMatch(line -> line.contains("headgate_kind=\"database\"") && line.endsWith(" 2.0"));
  }

  /// The first 200 queues of a tenant have their names, also later; further ones share one series.
  @Test
  void queuesBeyondTheNamedOnesShareASeries() {
    int all = JobInstruments.NAMED_QUEUES + 3;
    instruments.durable(ended(ACME, all));
    instruments.durable(ended(ACME, all));
    instruments.durable(ended(new TenantId("globex"), 1));
    List<String> finished = series("headgate_job_finished_total");
    assertThat(finished).hasSize(JobInstruments.NAMED_QUEUES + 2);
    assertThat(finished)
        .filteredOn(line -> line.contains("headgate_queue=\"(others)\""))
        .singleElement()
        .asString()
        .contains("headgate_tenant=\"acme\"")
        .endsWith(" 6.0");
    assertThat(finished)
        .as("another tenant's first queue keeps its name")
        .anyMatch(line -> line.contains("\"globex\"") && line.contains("\"queue-0\""));
  }

  /// In each of `queues` queues, one job ends.
  private static Batch ended(TenantId tenant, int queues) {
    List<JobRecord> jobs = new ArrayList<>();
    List<EventRecord> events = new ArrayList<>();
    for (int i = 0; i < queues; i++) {
      JobRecord job = job(tenant, i);
      jobs.add(job);
      events.add(finished(job));
    }
    return new Batch(
        1,
        1,
        List.of(),
        jobs,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        Entries.empty(),
        List.of(),
        List.of(),
        events,
        List.of(),
        List.of(),
        List.of(),
        Map.of());
  }

  private static JobRecord job(TenantId tenant, int number) {
    JobSpec spec =
        new JobSpec(
            new JobId(number),
            new QueueId(tenant, "queue-" + number),
            new UserId("ada"),
            0,
            Optional.empty(),
            Optional.empty());
    JobMetadata metadata =
        new JobMetadata(
            new JobName(tenant, "job-" + number),
            "policy",
            "profile",
            GpuQuantity.ONE,
            1,
            "tenants/acme/users/ada",
            false,
            List.of(),
            "",
            NOW);
    return new JobRecord(
        metadata,
        Job.submitted(spec, JobState.WAITING, 1, NOW, 0),
        JobRecord.Course.NONE,
        Optional.empty(),
        Optional.empty(),
        false,
        1);
  }

  private static EventRecord finished(JobRecord job) {
    return new EventRecord(
        1,
        job.tenant(),
        NOW,
        EventType.FINISHED,
        Optional.of(job.id()),
        job.name().id(),
        0,
        job.job().spec().queue().name(),
        "policy",
        "",
        "",
        "",
        "",
        List.of(),
        "done",
        Map.of("state", "DONE"),
        List.of());
  }
}
