package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status.Code;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.proto.scheduler.v1.RequeueJobRequest;
import io.headgate.scheduler.runtime.record.HistoryKeeper;
import io.headgate.scheduler.runtime.record.Retention;
import io.headgate.scheduler.store.PostgresHistory;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.List;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Ended jobs are kept for as long as the configuration says, and then forgotten.
final class HistoryTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final Duration KEEP = Duration.ofDays(30);

  private Installation installation;
  private Database database;
  private Database owner;
  private JobServiceBlockingStub alice;
  private FakeAgent agent;

  @BeforeEach
  void start() {
    DatabaseConfig config = POSTGRES.fresh();
    installation = new Installation(config, each -> each.with(new HistoryConfig(KEEP)));
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    database = Database.open(config);
    owner = Database.open(config.asOwner());
    alice = installation.alice();
    agent = installation.agent("a-0").connect();
  }

  @AfterEach
  void stop() {
    database.close();
    owner.close();
    installation.close();
  }

  private HistoryKeeper keeper(Duration later) {
    return new HistoryKeeper(
        new PostgresHistory(database.acrossTenants(2)),
        new Retention(KEEP),
        () -> Instant.now().plus(later),
        () -> true);
  }

  private void finish(String job) {
    submit(alice, submit("rnd-1", job));
    agent.awaitAssign(job);
    awaitState(alice, job, Job.State.STATE_RUNNING);
    agent.exits(job, 0);
    awaitState(alice, job, Job.State.STATE_DONE);
  }

  private void endedBefore(String job, int days) {
    int changed =
        owner
            .jooq()
            .execute(
                "update job set finished_at = now() - ? * interval '1 day' where name = ?",
                days,
                job);
    assertThat(changed).isOne();
  }

  private List<String> listed() {
    return alice
        .listJobs(ListJobsRequest.newBuilder().setParent(ACME).build())
        .getJobsList()
        .stream()
        .map(job -> FakeAgent.id(job.getName()))
        .toList();
  }

  private int rows(String table) {
    return owner.jooq().fetchCount(DSL.table(DSL.name(table)));
  }

  @Test
  void forgetsJobsThatEndedLongAgoAndNoOthers() {
    finish("old");
    finish("young");
    submit(alice, submit("rnd-1", "running"));
    awaitState(alice, "running", Job.State.STATE_RUNNING);
    endedBefore("old", 31);
    endedBefore("young", 29);

    assertThat(keeper(Duration.ZERO).tidyNow()).isOne();

    assertThat(listed()).containsExactly("running", "young");
    Refused.by(() -> get(alice, "old")).hasReason(Code.NOT_FOUND, "JOB_NOT_FOUND");
    assertThat(rows("attempt")).isEqualTo(2);
    assertThat(rows("attempt_worker")).isEqualTo(2);
    assertThat(rows("job_spec")).isEqualTo(2);
    assertThat(keeper(Duration.ZERO).tidyNow()).as("a second time").isZero();
    // A leader remembers the names that it gave minutes ago; here they are as old as jobs are.
    agent.disconnect();
    installation.stop();
    installation.start().awaitReady("rnd-3");
    agent.connect();
    finish("old");
    assertThat(listed()).as("its name is free").contains("old");
  }

  /// A machine that was away for longer than jobs are remembered still tells of its own.
  @Test
  void takesNoNewsOfAJobForThatOfAnotherWithItsName() {
    AttemptReport ended =
        AttemptReport.newBuilder()
            .setJob(ACME + "/jobs/again")
            .setUid("of-the-first")
            .setAttempt(1)
            .setState(AttemptReport.State.STATE_ENDED)
            .setEndReason(AttemptReport.EndReason.END_REASON_EXITED)
            .setExitCode(0)
            .build();
    submit(alice, submit("rnd-1", "again"));
    String uid = agent.awaitAssign("again").getUid();
    awaitState(alice, "again", Job.State.STATE_RUNNING);
    agent.say(ended);
    awaitForgotten("of-the-first");
    agent.disconnect();
    agent.open(agent.hello().addAttempts(ended));
    awaitForgotten("of-the-first");
    AttemptReport running = ended.toBuilder().setState(AttemptReport.State.STATE_RUNNING).build();
    agent.say(running);
    assertThat(agent.awaitStop("again").getUid()).isEqualTo("of-the-first");
    assertThat(get(alice, "again").getState()).isEqualTo(Job.State.STATE_RUNNING);
    agent.exits("again", 0);
    awaitState(alice, "again", Job.State.STATE_DONE);
    awaitForgotten(uid);
  }

  private void awaitForgotten(String uid) {
    FakeAgent.awaitThat(() -> agent.has(said -> said.getForget().getUid().equals(uid)));
  }

  @Test
  void neverForgetsTheNewestJobWhoseNumberTheNextOneFollows() {
    finish("first");
    finish("newest");
    endedBefore("first", 40);
    endedBefore("newest", 40);

    assertThat(keeper(Duration.ZERO).tidyNow()).isOne();

    assertThat(listed()).containsExactly("newest");
  }

  @Test
  void doesNotRequeueWhatIsAboutToBeForgotten() {
    finish("due");
    endedBefore("due", 31);

    Refused.by(() ->
            alice.requeueJob(RequeueJobRequest.newBuilder().setName(ACME + "/jobs/due").build()))
        .hasReason(Code.FAILED_PRECONDITION, "HISTORY_OVER")
        .says("keep", "30d");

    assertThat(get(alice, "due").getState()).isEqualTo(Job.State.STATE_DONE);
  }

  @Test
  void keepsEventsInWeeksAndForgetsWholeOnes() {
    FakeAgent.awaitThat(() -> weeks().size() == 5);
    finish("in-its-week");
    assertThat(rows("event_rest")).as("the first events have their week").isZero();
    weeks().forEach(week -> owner.jooq().execute("drop table " + week));
    finish("without-weeks");
    int rest = rows("event_rest");
    assertThat(rest).as("the rest takes what has no week").isPositive();

    // Then there are weeks for later events, and this week lasts for long.
    Duration monday = untilMonday().plusDays(7);
    keeper(monday.plusHours(12)).tidyNow();
    assertThat(rows("event_rest")).isEqualTo(rest);
    assertThat(weeks()).hasSize(5);

    keeper(monday.plusDays(14 + 1 + 30)).tidyNow();
    assertThat(weeks()).as("two are dropped, and five new ones prepared").hasSize(8);
    assertThat(rows("event_rest")).isZero();
    assertThat(alice.listEvents(ListEventsRequest.newBuilder().setParent(ACME).build()))
        .matches(answer -> answer.getEventsList().isEmpty());

    finish("afterwards");
    assertThat(alice.listEvents(ListEventsRequest.newBuilder().setParent(ACME).build()))
        .as("life goes on")
        .matches(answer -> answer.getEventsCount() > 2);
  }

  /// Weeks begin on Mondays, whatever day it is.
  private static Duration untilMonday() {
    ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
    return Duration.between(
        now, now.with(TemporalAdjusters.next(DayOfWeek.MONDAY)).truncatedTo(ChronoUnit.DAYS));
  }

  private List<String> weeks() {
    return database
        .jooq()
        .fetch(
            """
            select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
            where inhparent = 'event'::regclass and relname <> 'event_rest' order by relname\
            """)
        .map(row -> row.get(0, String.class));
  }

  @Test
  void refusesToForgetWhatMayStillBeSubmittedAgain() {
    assertThatThrownBy(() -> new HistoryConfig(Duration.ofHours(23)))
        .hasMessageContaining("keep")
        .hasMessageContaining("1d");
  }
}
