package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import io.grpc.Status;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListUsageIntervalsRequest;
import io.headgate.proto.scheduler.v1.ListUsageIntervalsResponse;
import io.headgate.proto.scheduler.v1.UsageInterval;
import io.headgate.proto.scheduler.v1.UsageReportServiceGrpc;
import io.headgate.proto.scheduler.v1.UsageReportServiceGrpc.UsageReportServiceBlockingStub;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The list of the ledger's intervals, by its RPC.
final class UsageIntervalsTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
  private Database database;
  private Installation installation;
  private JobServiceBlockingStub alice;
  private FakeAgent agent;

  @BeforeEach
  void start() {
    DatabaseConfig config = POSTGRES.fresh();
    database = Database.open(config.asOwner());
    installation = new Installation(config);
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
    agent = installation.agent("a-0").connect();
  }

  @AfterEach
  void stop() {
    database.close();
    installation.close();
    callers.close();
  }

  private UsageReportServiceBlockingStub reports() {
    return UsageReportServiceGrpc.newBlockingStub(
        installation.channel(installation.tokens.member("acme", "alice")));
  }

  private static Timestamp daysAgo(int days) {
    return Timestamps.subtract(
        Timestamps.fromMillis(System.currentTimeMillis()), Durations.fromDays(days));
  }

  private static ListUsageIntervalsRequest.Builder ofTheLastDay() {
    return ListUsageIntervalsRequest.newBuilder().setParent(ACME).setStartTime(daysAgo(1));
  }

  private List<UsageInterval> list(ListUsageIntervalsRequest.Builder request) {
    return reports().listUsageIntervals(request.build()).getIntervalsList();
  }

  @Test
  void theIntervalsOfAJobGoOnWithoutGapAfterADeath() {
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    ListUsageIntervalsRequest.Builder ofJob = ofTheLastDay().addJobs("r-0");
    List<UsageInterval> before = list(ofJob);
    assertThat(before).hasSize(3).noneMatch(UsageInterval::hasEndTime);
    agent.awaitAcknowledged();
    installation.kill();
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);

    assertThat(list(ofJob)).as("what lasts began before").isEqualTo(before);
    agent.connect();
    agent.exits("r-0", 0);
    Timestamp end = awaitState(alice, "r-0", Job.State.STATE_DONE).getFinishTime();
    List<UsageInterval> after = list(ofJob);
    assertThat(after)
        .extracting(UsageInterval::getStartTime)
        .containsExactlyElementsOf(before.stream().map(UsageInterval::getStartTime).toList());
    assertThat(after)
        .allSatisfy(each ->
            assertThat(Timestamps.toMillis(each.getEndTime())).isEqualTo(Timestamps.toMillis(end)));
    assertThat(after).extracting(UsageInterval::getDevice).doesNotHaveDuplicates();
    assertThat(after)
        .allMatch(each -> each.getEntitled().equals("1") && each.getQuantity().equals("1"));
  }

  @Test
  void pagesContinueThePeriodOfTheFirstAfterADeath() {
    for (int i = 0; i < 2; i++) {
      submit(alice, submit("rnd-3", "r-" + i));
      awaitState(alice, "r-" + i, Job.State.STATE_RUNNING);
    }
    ListUsageIntervalsRequest.Builder request = ofTheLastDay().setPageSize(4).setIncludeDown(true);
    ListUsageIntervalsResponse first = reports().listUsageIntervals(request.build());
    agent.awaitAcknowledged();
    installation.kill();
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);
    agent.connect();
    submit(alice, submit("rnd-3", "later"));
    awaitState(alice, "later", Job.State.STATE_RUNNING);

    List<UsageInterval> all = new ArrayList<>(first.getIntervalsList());
    String token = first.getNextPageToken();
    while (!token.isEmpty()) {
      ListUsageIntervalsResponse next =
          reports().listUsageIntervals(request.setPageToken(token).build());
      assertThat(next.getEndTime()).isEqualTo(first.getEndTime());
      all.addAll(next.getIntervalsList());
      token = next.getNextPageToken();
    }
    // Before its agent came, the node was down.
    assertThat(all).filteredOn(UsageInterval::getDown).hasSize(10);
    assertThat(all)
        .filteredOn(each -> !each.getDown())
        .extracting(each -> each.getJob() + " " + each.getDevice())
        .doesNotHaveDuplicates()
        .hasSize(6)
        .noneMatch(each -> each.startsWith("later"));
    assertThat(list(ofTheLastDay()))
        .as("a client that does not know what is down asks for none of it")
        .hasSize(9)
        .noneMatch(UsageInterval::getDown);
    Refused.by(() -> list(ofTheLastDay().addPools("onprem").setPageToken(first.getNextPageToken())))
        .hasReason(Status.Code.INVALID_ARGUMENT, "INVALID_PAGE_TOKEN");
  }

  @Test
  void pagesOfACallerAtATimeAreBounded() {
    UsageReportServiceBlockingStub reports = reports();
    List<CompletableFuture<ListUsageIntervalsResponse>> pages =
        database
            .jooq()
            .transactionResult(transaction -> {
              transaction.dsl().execute("lock table usage_interval in access exclusive mode");
              List<CompletableFuture<ListUsageIntervalsResponse>> held =
                  IntStream.range(0, 4)
                      .mapToObj(_ ->
                          CompletableFuture.supplyAsync(
                              () -> reports.listUsageIntervals(ofTheLastDay().build()), callers))
                      .toList();
              FakeAgent.awaitThat(() -> pagesThatWait() == 4);
              Refused.by(() ->
                      reports
                          .withDeadlineAfter(Installation.PATIENCE)
                          .listUsageIntervals(ofTheLastDay().build()))
                  .hasReason(Status.Code.RESOURCE_EXHAUSTED, "TOO_MANY_LISTS");
              return held;
            });
    assertThat(pages).allSatisfy(page -> assertThat(page).succeedsWithin(Installation.PATIENCE));
    assertThat(list(ofTheLastDay())).as("they were given back").isEmpty();
  }

  private int pagesThatWait() {
    return database
        .jooq()
        .fetchCount(
            database
                .jooq()
                .selectFrom(
                    "pg_locks where not granted and relation = 'usage_interval'::regclass"));
  }

  @Test
  void anAttemptThatIsAskedToStopSaysSo() {
    submit(alice, submit("rnd-3", "r-0"));
    submit(alice, submit("rnd-3", "r-1"));
    awaitState(alice, "r-1", Job.State.STATE_RUNNING);
    agent.slowToStop();
    // r-1 uses more than the reservation of rnd, and two jobs of devops do not fit beside it.
    submit(alice, submit("rnd-3", "r-2"));
    awaitState(alice, "r-2", Job.State.STATE_RUNNING);
    submit(installation.eve(), submit("devops-3", "d-0"));
    agent.awaitStop("r-2");

    assertThat(list(ofTheLastDay().addJobs("r-2")))
        .hasSize(3)
        .allMatch(UsageInterval::hasStoppingTime)
        .noneMatch(UsageInterval::hasEndTime);
    agent.quick().ends("r-2", EndReason.END_REASON_STOPPED);
    awaitState(installation.eve(), "d-0", Job.State.STATE_RUNNING);
    assertThat(list(ofTheLastDay().addJobs("r-2")))
        .filteredOn(UsageInterval::hasEndTime)
        .isNotEmpty()
        .allMatch(UsageInterval::getPreempted);
    assertThat(list(ofTheLastDay().addJobs("r-1")))
        .as("3 of 5 reserved GPUs are for r-0")
        .filteredOn(each -> !each.hasEndTime())
        .extracting(UsageInterval::getEntitled)
        .containsExactly("1", "1", "0");
  }

  @Test
  void refusesAPeriodThatIsTooLongTooOldOrEmpty() {
    Refused.by(() -> list(ofTheLastDay().setStartTime(daysAgo(32))))
        .hasReason(Status.Code.INVALID_ARGUMENT, "INVALID_PERIOD")
        .names("start_time", "31 days", "ReportUsage");
    Refused.by(() -> list(ofTheLastDay().setStartTime(daysAgo(100)).setEndTime(daysAgo(99))))
        .hasReason(Status.Code.INVALID_ARGUMENT, "INVALID_PERIOD")
        .names("start_time", "90 days", "scheduler.usage.keep-intervals");
    Refused.by(() -> list(ofTheLastDay().setEndTime(daysAgo(2))))
        .hasReason(Status.Code.INVALID_ARGUMENT, "INVALID_PERIOD")
        .names("end_time");
    Refused.by(() -> list(ofTheLastDay().setStartTime(daysAgo(-1))))
        .hasReason(Status.Code.INVALID_ARGUMENT, "INVALID_PERIOD")
        .names("start_time");
    Refused.by(() -> list(ofTheLastDay().addJobs("there-is-none")))
        .hasReason(Status.Code.NOT_FOUND, "JOB_NOT_FOUND");
  }
}
