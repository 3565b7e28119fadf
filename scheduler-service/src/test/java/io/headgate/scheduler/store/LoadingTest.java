package io.headgate.scheduler.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestSecrets;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.RunTimes;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.LoadedState;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A new leader reads of jobs and attempts what everybody else reads of them.
final class LoadingTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final int JOBS = 600;

  /// Every column is null in some rows and has a value in others; one in six is over.
  private static final String JOBS_OF_ALL_KINDS =
      """
      insert into job (id, tenant, name, queue, policy, profile, gpu_units, workers, user_id,
        submitter, priority, preemptible, max_runtime_ms, by_role, labels, traceparent, created_at,
        submitted_at, state, sequence, attempts, preempted_by, preempted_rule, preempted_grounds,
        preempted_at, started_at, finished_at, exit_code, draft_code, draft_message, cancelled_by,
        cancel_reason, simulated, version, movable, waiting_since, hold_pauses, hold_paused_until,
        headroom, headroom_start, headroom_until)
      select i, case when i %% 20 = 0 then 'other' else 'acme' end, 'jöb-' || i, 'q-' || i %% 5,
        'p-' || i %% 3, 'one', i, 1 + i %% 2, 'u-' || i %% 200, 'users/u-' || i %% 200, i %% 4 - 2,
        case i %% 3 when 0 then true when 1 then false end,
        case when i %% 5 = 0 then i * 1000 end, i %% 2 = 0,
        case i %% 4 when 0 then array['a=1', 'b="x", {y}'] when 1 then array['ä='] else '{}' end,
        case when i %% 2 = 0 then '00-' || md5(i::text) else '' end,
        timestamptz '1999-12-31 23:59:59.000001Z' + i * interval '1.000007 s',
        timestamptz '2026-11-01 00:00:00Z' + i / 10 * interval '1 minute',
        (array['DONE', 'RUNNING', 'ASSIGNED', 'STOPPING', 'WAITING', 'WAITING'])[1 + i %% 6],
        i, i %% 6,
        case when i %% 7 = 0 then 1 end, case when i %% 7 = 0 then 'P1' end,
        case when i %% 7 = 0 then 'acme/rnd 1134000 630000 acme/devops 0 630000 378000' end,
        case when i %% 7 = 0 then now() end,
        case when i %% 6 = 1 then now() end, case when i %% 8 = 0 then now() end,
        case when i %% 8 = 0 then -i end, case when i %% 9 = 0 then 'CODE' end,
        case when i %% 9 = 0 then 'because' end, case when i %% 10 = 0 then 'eve' end,
        case when i %% 20 = 0 then 'wrong data' end, i %% 11 = 0, 3000000000 + i,
        i %% 13 = 0,
        case when i %% 4 = 0 then timestamptz '2026-11-02 00:00:00Z' + i * interval '1.000007 s' end,
        i %% 3, case when i %% 3 > 0 then timestamptz '2026-11-03 00:00:00Z' end,
        (array['LIMIT@platform/h100', 'RESERVATION/eng USER_LIMIT', null])[1 + i %% 3],
        case when i %% 3 = 0 then timestamptz '2026-11-04 00:00:00Z' end,
        case when i %% 3 = 1 then timestamptz '2026-11-05 00:00:00Z' end
      from generate_series(1, %d) i\
      """
          .formatted(JOBS);

  private static final String ATTEMPTS =
      """
      insert into attempt (job_id, number, tenant, policy, profile, pool, preemptible, sequence,
        epoch, assigned_at, started_at, checkpoint_at, checkpoint_mark,
        done_permyriad, progress_message, progress_at, stop_after_ms, stop_cause, stop_by,
        stop_by_name, stop_rule, stop_grounds, stop_worker, stop_ending, stop_outcome,
        stop_message, stop_at, skip_callback)
      select id, attempts, tenant, policy, profile, 'main', id % 2 = 0, id, 3, submitted_at,
        started_at, case when id % 12 = 1 then started_at end,
        case when id % 12 = 1 then -id else 0 end, case when id % 5 = 0 then id % 10000 end,
        case when id % 5 = 0 then 'epoch 3' end, case when id % 5 = 0 then now() end,
        case when id % 4 = 0 then 2400000 end,
        case when state = 'STOPPING' then
          (array['PREEMPTED', 'CANCELLED', 'REQUEUED', 'WORKER_ENDED'])[1 + id % 4] end,
        case when state = 'STOPPING' and id % 4 = 0 then 7 end,
        case when state = 'STOPPING' and id % 4 = 0 then 'j-7' end,
        case when state = 'STOPPING' and id % 4 = 0 then 'P1' end,
        case when state = 'STOPPING' and id % 4 = 0 then
          'acme/rnd 1134000 630000 acme/devops 0 630000 378000' end,
        case when state = 'STOPPING' and id % 4 = 3 then 0 end,
        case when state = 'STOPPING' and id % 4 = 3 then 'exited 3' end,
        case when state = 'STOPPING' then 'REQUEUE' end,
        case when state = 'STOPPING' then 'must go' end,
        case when state = 'STOPPING' then now() end, id % 3 = 0
      from job where state in ('ASSIGNED', 'RUNNING', 'STOPPING')\
      """;

  private static final String WORKERS =
      """
      insert into attempt_worker (job_id, attempt, worker, node, cpu_millis, memory_bytes, devices,
        device_uuids, device_units, device_memory_bytes, device_isolations, device_places, status,
        started_at, ended_at, end_reason, exit_code, error, stop_phases)
      select id, attempts, w, 'n-' || (id + w) % 50, 1000, id,
        case when id % 2 = 0 then array[0, 3] else '{}' end,
        case when id % 2 = 0 then array['GPU-a', 'GPU-b'] else '{}' end,
        case when id % 2 = 0 then array[126000, 63000] else '{}' end,
        case when id % 2 = 0 then array[80000000000, 40000000000] else '{}' end,
        case when id % 4 = 0 then array['HARDWARE', 'DRIVER_PROCESS'] else '{}' end,
        case when id % 8 = 0 then array['', '4 4 63000 3g'] else '{}' end,
        case when w = 1 then 'ENDED' else 'RUNNING' end,
        case when id % 2 = 0 then now() end, case when w = 1 then now() end,
        case when w = 1 then 'EXITED' end, case when w = 1 then 0 end,
        case when w = 1 then 'odd' end,
        case when w = 1 then array['CALLBACK', 'TERM'] else '{}' end
      from job cross join lateral generate_series(0, workers - 1) w
      where state in ('ASSIGNED', 'RUNNING', 'STOPPING')\
      """;

  private Database database;
  private Database owner;
  private PostgresSchedulerStore store;
  private PostgresJobReader reader;

  @BeforeEach
  void fill() {
    DatabaseConfig config = POSTGRES.fresh();
    database = Database.open(config);
    owner = Database.open(config.asOwner());
    DSLContext across = database.acrossTenants(2);
    Seal seal = TestSecrets.seal(database);
    store =
        new PostgresSchedulerStore(
            database.reserve("leader", 1, PostgresSchedulerStore.SETTINGS), across, seal);
    reader = new PostgresJobReader(database, across, seal);
    owner.jooq().execute(JOBS_OF_ALL_KINDS);
    owner.jooq().execute(ATTEMPTS);
    owner.jooq().execute(WORKERS);
  }

  @AfterEach
  void close() {
    owner.close();
    database.close();
  }

  @Test
  void readsWhatOthersRead() {
    LoadedState loaded = store.load();
    List<JobId> ids = loaded.jobs().stream().map(JobRecord::id).toList();
    assertThat(ids)
        .hasSize(JOBS * 5 / 6)
        .isSortedAccordingTo((a, b) -> Long.compare(a.value(), b.value()));
    assertThat(loaded.jobs()).containsExactlyInAnyOrderElementsOf(reader.jobs(ids));
    assertThat(loaded.lastJob()).isEqualTo(JOBS);
    assertThat(loaded.jobs()).anyMatch(job -> job.job().spec().movable());
    for (JobRecord job : loaded.jobs()) {
      assertThat(job.job().waitingSince().equals(job.job().submittedAt()))
          .as("a job that states no other time has waited since it was submitted")
          .isEqualTo(job.id().value() % 4 != 0);
    }

    Map<JobId, AttemptRecord> attempts = reader.lastAttempts(ids);
    assertThat(loaded.attempts())
        .hasSize(JOBS / 2)
        .containsExactlyInAnyOrderElementsOf(attempts.values());
  }

  @Test
  void countsTheRunsOfEachQueueThatEndedByThemselves() {
    Map<QueueId, Map<Integer, Integer>> ended = insertEndedAttempts();
    assertThat(loadedRuns()).isEqualTo(ended);
  }

  @Test
  void aBacklogHidesNoRuns() {
    Map<QueueId, Map<Integer, Integer>> ended = insertEndedAttempts();
    int waiting = LoadedState.LAST_ATTEMPTS + 1;
    owner
        .jooq()
        .execute(
            """
            insert into job select (jsonb_populate_record(job, jsonb_build_object(
              'id', %d + i, 'name', 'backlog-' || i, 'sequence', %d + i, 'attempts', 0))).*
            from job, generate_series(1, %d) i where id = 4 and state = 'WAITING'\
            """
                .formatted(JOBS, JOBS, waiting));
    assertThat(store.load().lastJob()).isEqualTo(JOBS + waiting);
    assertThat(loadedRuns()).isEqualTo(ended);
  }

  private Map<QueueId, Map<Integer, Integer>> loadedRuns() {
    Map<QueueId, Map<Integer, Integer>> loaded = new HashMap<>();
    store.load().runTimes().forEach(runs -> loaded.put(runs.queue(), runs.runs()));
    return loaded;
  }

  /// Ends attempts of the jobs that are over.
  ///
  /// @return by queue and bucket, those that ended by themselves
  private Map<QueueId, Map<Integer, Integer>> insertEndedAttempts() {
    Map<QueueId, RunTimes> expected = new HashMap<>();
    for (int job = 6; job <= JOBS; job += 6) {
      TenantId tenant = new TenantId(job % 20 == 0 ? "other" : "acme");
      Duration run = Duration.ofMillis(1L << (job / 20)).multipliedBy(3).plusMillis(job);
      String cause = job % 4 == 0 ? "'WORKER_ENDED'" : job % 18 == 0 ? "'PREEMPTED'" : "null";
      owner
          .jooq()
          .execute(
              """
              insert into attempt (job_id, number, tenant, policy, profile, pool, preemptible, sequence,
                epoch, assigned_at, started_at, ended_at, outcome, stop_cause, skip_callback)
              select id, 1, tenant, policy, profile, 'main', false, id, 3, submitted_at, submitted_at,
                submitted_at + %d * interval '1 ms' + interval '7 us', 'SUCCEEDED', %s, false
              from job where id = %d\
              """
                  .formatted(run.toMillis(), cause, job));
      if (!cause.equals("'PREEMPTED'")) {
        expected
            .computeIfAbsent(new QueueId(tenant, "q-" + job % 5), key -> new RunTimes())
            .add(run);
      }
    }
    Map<QueueId, Map<Integer, Integer>> counts = new HashMap<>();
    expected.forEach((queue, runs) -> counts.put(queue, runs.state()));
    return counts;
  }

  @Test
  void sharesWhatJobsHaveInCommon() {
    LoadedState loaded = store.load();
    JobRecord one = loaded.jobs().get(0);
    JobRecord other =
        loaded.jobs().stream()
            .filter(
                job -> job != one && job.metadata().submitter().equals(one.metadata().submitter()))
            .findFirst()
            .orElseThrow();
    assertThat(other.metadata().submitter()).isSameAs(one.metadata().submitter());
    assertThat(other.job().spec().user()).isSameAs(one.job().spec().user());
  }

  @Test
  void readsTheFirstJobsAlone() {
    LoadedState some = store.sample(10);
    assertThat(some.jobs()).hasSize(10).isEqualTo(store.load().jobs().subList(0, 10));
    assertThat(some.attempts())
        .isEqualTo(store.load().attempts().subList(0, some.attempts().size()));
  }

  @Test
  void anEmptyDatabaseLoadsAsEmpty() {
    for (String table : List.of("hold", "attempt_worker", "attempt", "job_spec", "job")) {
      owner.jooq().execute("delete from " + table);
    }
    assertThat(store.load().jobs()).isEmpty();
    assertThat(store.load().attempts()).isEmpty();
  }
}
