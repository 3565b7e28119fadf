package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.telemetry.FinishedSpan;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.scheduler.runtime.record.Phase;
import io.headgate.scheduler.runtime.record.Phase.Kind;
import io.headgate.scheduler.runtime.trace.Sampling;
import io.headgate.scheduler.runtime.trace.TraceLog.EndedPhases;
import io.headgate.scheduler.runtime.trace.WriterRun;
import io.headgate.scheduler.store.PostgresTraceLog;
import java.util.List;
import java.util.OptionalLong;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The phases of jobs, as they stand in the database.
final class PhasesTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private Database database;
  private DSLContext sql;
  private PostgresTraceLog log;
  private JobServiceBlockingStub alice;

  @BeforeEach
  void start() {
    DatabaseConfig config = POSTGRES.fresh();
    installation = new Installation(config);
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
    database = Database.open(config);
    sql = database.acrossTenants(1);
    log = new PostgresTraceLog(sql);
  }

  @AfterEach
  void stop() {
    database.close();
    installation.close();
  }

  private List<EndedPhases> all() {
    return log.read(0, log.newest());
  }

  private List<Phase> phases(String job, Kind kind) {
    return all().stream()
        .filter(each -> each.job().name().equals(job))
        .flatMap(each -> each.phases().stream())
        .filter(phase -> phase.kind() == kind)
        .toList();
  }

  private static List<String> reasons(List<Phase> waits) {
    return waits.stream()
        .map(wait -> wait.details().get("reason") + " " + wait.details().getOrDefault("rule", ""))
        .toList();
  }

  private int lanes() {
    return sql.fetchSingle("select count(*) from wait_history where subject like 'lane/%'")
        .get(0, int.class);
  }

  @Test
  void aWaitIsCutWhereItsReasonChangedEvenUnderAnotherLeader() {
    for (int i = 0; i < 4; i++) {
      submit(alice, submit("rnd-3", "r-" + i));
    }
    assertThat(lanes()).as("rows for the four jobs of a lane").isEqualTo(1);
    FakeAgent agent = installation.agent("a-0").connect();
    awaitState(alice, "r-2", Job.State.STATE_RUNNING);
    assertThat(reasons(phases("r-0", Kind.WAIT))).containsExactly("CAPACITY A6");

    installation.kill();
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);
    agent.connect();
    agent.exits("r-0", 0);
    awaitState(alice, "r-3", Job.State.STATE_RUNNING);

    List<Phase> waits = phases("r-3", Kind.WAIT);
    assertThat(reasons(waits)).containsExactly("CAPACITY A6", "LIMIT A2");
    assertThat(waits.getLast().begin()).isEqualTo(waits.getFirst().end().orElseThrow());
    assertThat(lanes()).as("the lane is remembered").isEqualTo(1);
    assertThat(phases("r-0", Kind.RUN))
        .singleElement()
        .satisfies(run ->
            assertThat(run.details())
                .containsEntry("outcome", "SUCCEEDED")
                .containsEntry("pool", "onprem")
                .containsEntry("node", "a-0"));
  }

  @Test
  void aJobThatComesLaterDoesNotInheritWhatItsLaneWaitedForBefore() {
    submit(alice, submit("rnd-3", "r-0"));
    FakeAgent agent = installation.agent("a-0").connect();
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    submit(alice, submit("rnd-3", "r-1"));
    awaitState(alice, "r-1", Job.State.STATE_RUNNING);
    assertThat(reasons(phases("r-1", Kind.WAIT))).doesNotContain("CAPACITY A6");
    assertThat(agent.begun()).hasSize(2);
  }

  @Test
  void jobsOfOneDecisionNameIt() {
    for (int i = 0; i < 3; i++) {
      submit(alice, submit("rnd-3", "r-" + i));
    }
    // Its machine is the first that is there: all start at once.
    FakeAgent agent = installation.agent("a-0").connect();
    awaitState(alice, "r-2", Job.State.STATE_RUNNING);
    agent.exits("r-0", 0);
    submit(alice, submit("rnd-3", "r-3"));
    awaitState(alice, "r-3", Job.State.STATE_RUNNING);

    List<String> decisions =
        List.of("r-0", "r-1", "r-2", "r-3").stream()
            .map(job -> phases(job, Kind.DECIDE).getFirst().details().get("decision"))
            .toList();
    assertThat(decisions.subList(0, 3)).containsOnly(decisions.getFirst());
    assertThat(decisions.getLast()).isNotEqualTo(decisions.getFirst());
  }

  @Test
  void victimAndWinnerReferToEachOther() {
    FakeAgent agent = installation.agent("a-0").connect();
    for (int i = 0; i < 3; i++) {
      submit(alice, submit("rnd-3", "r-" + i));
    }
    awaitState(alice, "r-2", Job.State.STATE_RUNNING);
    submit(installation.eve(), submit("devops-3", "d-0"));
    awaitState(installation.eve(), "d-0", Job.State.STATE_RUNNING);
    assertThat(agent.begun()).containsKey("d-0#1");

    List<FinishedSpan> spans = new WriterRun(all(), Sampling.ALL).undisturbed();
    FinishedSpan preempt = only(spans, "job.preempt");
    FinishedSpan take = only(spans, "job.take");
    assertThat(preempt.attributes()).containsEntry("headgate.job", "r-2");
    assertThat(take.attributes()).containsEntry("headgate.job", "d-0");
    assertThat(take.attributes().get("headgate.decision")).asString().matches("\\d+-\\d+");
    assertThat(take.traceId()).isNotEqualTo(preempt.traceId());
    assertThat(take.links())
        .singleElement()
        .satisfies(link -> {
          assertThat(link.traceId()).isEqualTo(preempt.traceId());
          assertThat(link.spanId()).isEqualTo(preempt.spanId());
        });
    assertThat(preempt.links())
        .singleElement()
        .satisfies(link -> {
          assertThat(link.traceId()).isEqualTo(take.traceId());
          assertThat(take.parentId()).contains(link.spanId());
        });
    assertThat(reasons(phases("d-0", Kind.WAIT))).containsExactly("WAITING_FOR_VICTIMS P5");
  }

  private static FinishedSpan only(List<FinishedSpan> spans, String name) {
    List<FinishedSpan> found = spans.stream().filter(span -> span.name().equals(name)).toList();
    assertThat(found).as(name).hasSize(1);
    return found.getFirst();
  }

  @Test
  void withoutSamplingOnlyWhatWentWrongIsWritten() {
    FakeAgent agent = installation.agent("a-0").connect();
    submit(alice, submit("rnd-3", "fine"));
    submit(alice, submit("rnd-3", "broken"));
    awaitState(alice, "fine", Job.State.STATE_RUNNING);
    awaitState(alice, "broken", Job.State.STATE_RUNNING);
    agent.exits("fine", 0);
    agent.exits("broken", 1);
    awaitState(alice, "fine", Job.State.STATE_DONE);
    awaitState(alice, "broken", Job.State.STATE_FAILED);

    List<FinishedSpan> written = new WriterRun(all(), new Sampling(0)).undisturbed();
    assertThat(written)
        .extracting(FinishedSpan::name)
        .containsExactlyInAnyOrder("job.run", "job.end");
    assertThat(written)
        .allSatisfy(span -> {
          assertThat(span.attributes()).containsEntry("headgate.job", "broken");
          assertThat(span.parentId()).as("its parent is not written").isEmpty();
          assertThat(span.problem()).contains("FAILED");
        });
  }

  @Test
  void twoWritersMoveTheCursorOnce() {
    assertThat(log.cursor()).isEmpty();
    assertThat(log.advance(OptionalLong.empty(), 3)).isTrue();
    assertThat(log.advance(OptionalLong.empty(), 4)).isFalse();
    assertThat(log.advance(OptionalLong.of(3), 7)).isTrue();
    assertThat(log.advance(OptionalLong.of(3), 9)).isFalse();
    assertThat(log.cursor()).hasValue(7);
  }
}
