package io.headgate.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.ScrapedTelemetry;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.HeadroomScope;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.loop.LoopMetrics.Violation;
import io.headgate.scheduler.runtime.loop.Takeover;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.record.JobMetadata;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.type.GpuQuantity;
import io.opentelemetry.api.common.Attributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
        .hasSize(Violation.values().length)
        .anyMatch(line -> line.contains("headgate_kind=\"loop\"") && line.endsWith(" 1.0"))
        .anyMatch(line -> line.contains("headgate_kind=\"database\"") && line.endsWith(" 2.0"));
  }

  /// A rate does not see the first event of a series that begins with it.
  @Test
  void countersExistBeforeTheirFirstEvent() {
    assertThat(series("headgate_scheduler_invariant_violations_total"))
        .hasSize(Violation.values().length)
        .allMatch(line -> line.endsWith(" 0.0"));
    assertThat(series("headgate_scheduler_stale_writes_total"))
        .singleElement()
        .asString()
        .endsWith(" 0.0");
    assertThat(series("headgate_scheduler_decisions_total"))
        .hasSize(4)
        .allMatch(line -> line.endsWith(" 0.0"));
  }

  @Test
  void theFewQueuesOfATenantHaveZeroEndedJobsBeforeOneEnds() {
    JobInstruments jobs = new JobInstruments(telemetry.telemetry().meter("test"));
    int all = JobInstruments.EXPECTED_QUEUES + 3;
    List<Attributes> queues =
        IntStream.range(0, all).mapToObj(i -> queue("acme", "queue-" + i)).toList();
    jobs.expect(queues);
    jobs.expect(queues);
    int states = 4;
    assertThat(series("headgate_job_finished_total"))
        .hasSize(JobInstruments.EXPECTED_QUEUES * states)
        .allMatch(line -> line.endsWith(" 0.0"))
        .anyMatch(line -> line.contains("\"queue-0\"") && line.contains("\"failed\""))
        .noneMatch(line -> line.contains("\"queue-%d\"".formatted(all - 1)));
    jobs.durable(ended(ACME, 1));
    assertThat(series("headgate_job_finished_total"))
        .as("the job counts in the series that was there")
        .hasSize(JobInstruments.EXPECTED_QUEUES * states)
        .filteredOn(line -> line.endsWith(" 1.0"))
        .singleElement()
        .asString()
        .contains("\"queue-0\"", "headgate_outcome=\"done\"");
  }

  @Test
  void theExpectedQueuesOfAllTenantsAreBounded() {
    JobInstruments jobs = new JobInstruments(telemetry.telemetry().meter("test"));
    int tenants = JobInstruments.MOST_EXPECTED + 1;
    jobs.expect(IntStream.range(0, tenants).mapToObj(i -> queue("tenant-" + i, "only")).toList());
    assertThat(series("headgate_job_finished_total")).hasSize(JobInstruments.MOST_EXPECTED * 4);
  }

  private static Attributes queue(String tenant, String name) {
    return Attributes.of(
        MetricNames.TENANT,
        tenant,
        MetricNames.QUEUE,
        name,
        MetricNames.POLICY,
        "policy",
        MetricNames.PROFILE,
        "profile");
  }

  /// The first expected start that was told counts, and not a later one.
  @Test
  void measuresHowFarExpectedStartsWereMissed() {
    JobRecord late = job(ACME, 1);
    JobRecord early = job(ACME, 2);
    JobRecord headroom = job(ACME, 3);
    instruments.durable(
        batch(
            List.of(promising(headroom, NOW.plusSeconds(100))),
            List.of(hold(late, NOW.plusSeconds(100)), hold(early, NOW.plusSeconds(100))),
            List.of(),
            List.of()));
    instruments.durable(
        batch(List.of(), List.of(hold(late, NOW.plusSeconds(150))), List.of(), List.of()));
    instruments.durable(
        batch(
            List.of(late, early, headroom),
            List.of(),
            List.of(),
            List.of(
                assigned(late, NOW.plusSeconds(170)),
                assigned(early, NOW.plusSeconds(90)),
                assigned(headroom, NOW.plusSeconds(1_100)))));
    assertThat(etaErrors())
        .containsOnly(
            Map.entry("queue-1 hold late", 70.0),
            Map.entry("queue-2 hold early", 10.0),
            Map.entry("queue-3 headroom late", 1_000.0));
  }

  @Test
  void noPromiseNoError() {
    JobRecord never = job(ACME, 1);
    JobRecord released = job(ACME, 2);
    instruments.durable(
        batch(List.of(), List.of(hold(released, NOW.plusSeconds(100))), List.of(), List.of()));
    instruments.durable(batch(List.of(), List.of(), List.of(released.id()), List.of()));
    instruments.durable(
        batch(
            List.of(never, released),
            List.of(),
            List.of(),
            List.of(
                assigned(never, NOW.plusSeconds(170)), assigned(released, NOW.plusSeconds(170)))));
    assertThat(etaErrors()).isEmpty();
    JobRecord ofAnother = job(ACME, 3);
    instruments.durable(
        batch(List.of(), List.of(hold(ofAnother, NOW.plusSeconds(100))), List.of(), List.of()));
    instruments.tookOver(Takeover.Part.BUILD, 1);
    instruments.durable(
        batch(
            List.of(ofAnother),
            List.of(),
            List.of(),
            List.of(assigned(ofAnother, NOW.plusSeconds(170)))));
    assertThat(etaErrors()).as("promises of an earlier leadership are forgotten").isEmpty();
  }

  /// Seconds of the only error of each series.
  private Map<String, Double> etaErrors() {
    String name = "headgate_job_eta_error_seconds_";
    assertThat(series(name + "count")).allMatch(line -> line.endsWith(" 1"));
    Map<String, Double> errors = new TreeMap<>();
    for (String line : series(name + "sum")) {
      String key =
          Stream.of("queue", "basis", "direction")
              .map(label -> line.replaceAll(".*headgate_" + label + "=\"([^\"]*)\".*", "$1"))
              .collect(Collectors.joining(" "));
      errors.put(key, Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)));
    }
    return errors;
  }

  private static Hold hold(JobRecord job, Instant expectedStart) {
    WorkerPlace place = new WorkerPlace(new NodeId(ACME, "a-0"), List.of(), 1, 1);
    return new Hold(
        job.id(),
        new Assignment(new PoolId(ACME, "onprem"), List.of(place)),
        List.of(),
        Optional.empty(),
        Optional.of(expectedStart),
        Optional.empty(),
        NOW);
  }

  private static JobRecord promising(JobRecord job, Instant expectedStart) {
    HeadroomHold hold =
        new HeadroomHold(
            List.of(HeadroomScope.ofPolicy(HeadroomScope.Bound.LIMIT)),
            Optional.of(expectedStart),
            Optional.empty());
    return new JobRecord(
        job.metadata(),
        job.job().withHeadroom(Optional.of(hold)),
        job.course(),
        job.draft(),
        job.cancellation(),
        job.simulated(),
        job.version());
  }

  private static EventRecord assigned(JobRecord job, Instant time) {
    return event(job, time, EventType.ASSIGNED, Map.of("standing", "ENTITLED"));
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
    return batch(jobs, List.of(), List.of(), events);
  }

  private static Batch batch(
      List<JobRecord> jobs, List<Hold> holds, List<JobId> released, List<EventRecord> events) {
    return new Batch(
        1,
        1,
        List.of(),
        List.of(),
        jobs,
        List.of(),
        holds,
        released,
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
    return event(job, NOW, EventType.FINISHED, Map.of("state", "DONE"));
  }

  private static EventRecord event(
      JobRecord job, Instant time, EventType type, Map<String, String> detail) {
    return new EventRecord(
        1,
        job.tenant(),
        time,
        type,
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
        "text",
        detail,
        List.of());
  }
}
