package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import io.grpc.Status.Code;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.ListEventsResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Events are listed by time, policy and the job that caused them, as far as the caller sees them.
final class EventFiltersTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private final DatabaseConfig config = POSTGRES.fresh();
  private final Installation installation = new Installation(config);
  private JobServiceBlockingStub alice;
  private JobServiceBlockingStub eve;
  private JobServiceBlockingStub admin;

  /// Three jobs of rnd run, then `d` of devops takes the place of the last one.
  @BeforeEach
  void start() {
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
    eve = installation.eve();
    admin = installation.jobs(installation.tokens.admin("acme"));
    FakeAgent agent = installation.agent("a-0").connect();
    for (String job : List.of("a", "b", "c")) {
      submit(alice, submit("rnd-3", job));
      agent.awaitRunning(alice, job);
    }
    submit(eve, submit("devops-3", "d"));
    awaitState(eve, "d", Job.State.STATE_RUNNING);
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private static List<Event> events(
      JobServiceBlockingStub by, UnaryOperator<ListEventsRequest.Builder> filter) {
    List<Event> all = new ArrayList<>();
    String token = "";
    do {
      ListEventsResponse page =
          by.listEvents(
              filter
                  .apply(ListEventsRequest.newBuilder())
                  .setParent(ACME)
                  .setPageSize(2)
                  .setPageToken(token)
                  .build());
      all.addAll(page.getEventsList());
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    return all;
  }

  @Test
  void byTheJobThatTookThePlace() {
    assertThat(events(alice, filter -> filter)).isNotEmpty();
    assertThat(events(eve, filter -> filter.setByJob("d")))
        .as("eve sees no event about a job of rnd")
        .isEmpty();
    assertThat(events(admin, filter -> filter.setByJob("d")))
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getType()).isEqualTo(Event.Type.TYPE_PREEMPTED);
          assertThat(event.getJob()).isEqualTo("c");
          assertThat(event.getPreemption().getByJob()).isEqualTo("d");
        });
  }

  @Test
  void preemptionsOnlySayForWhom() {
    assertThat(events(admin, filter -> filter.setPreemptionsOnly(true)))
        .singleElement()
        .satisfies(event ->
            assertThat(event.getDetailMap())
                .containsEntry("policy", "devops")
                .containsEntry("user", "eve"));
    assertThat(events(alice, filter -> filter.setPreemptionsOnly(true)))
        .as("alice does not see who took the place")
        .singleElement()
        .satisfies(event -> assertThat(event.getDetailMap()).doesNotContainKeys("policy", "user"));
  }

  @Test
  void byAnUnseenJobIsAnsweredAsByNone() {
    Refused.by(() -> events(alice, filter -> filter.setByJob("d")))
        .hasReason(Code.NOT_FOUND, "JOB_NOT_FOUND");
    Refused.by(() -> events(alice, filter -> filter.setByJob("nobody")))
        .hasReason(Code.NOT_FOUND, "JOB_NOT_FOUND");
  }

  @Test
  void byPolicy() {
    assertThat(events(admin, filter -> filter.setPolicy("devops")))
        .isNotEmpty()
        .allMatch(event -> event.getJob().equals("d"));
    assertThat(events(alice, filter -> filter.setPolicy("devops"))).isEmpty();
    assertThat(events(admin, filter -> filter.setPolicy("rnd").setJob("d"))).isEmpty();
  }

  /// A page looks at none of 30,000 events of two hours ago.
  @Test
  void byTimeWithoutAWalkThroughAllThatIsOlder() {
    try (Database owner = Database.open(config.asOwner())) {
      owner
          .jooq()
          .execute(
              """
              insert into event (version, tenant, time, type, job_id, job, attempt, queue, policy,
                pool, node, by_job, rule, message, detail)
              select -n, 'acme', now() - interval '2 hours', 'NODE_CONNECTED', null, '', 0, '', '',
                '', 'z-0', '', '', 'old', '{}'
              from generate_series(1, 30000) n
              """);
    }
    Timestamp recently = ProtoTimes.toProto(Instant.now().minus(Duration.ofHours(1)));
    ListEventsResponse page =
        admin.listEvents(
            ListEventsRequest.newBuilder()
                .setParent(ACME)
                .setPageSize(1000)
                .setAfter(recently)
                .build());
    assertThat(page.getEventsList())
        .hasSizeGreaterThan(10)
        .noneMatch(event -> event.getMessage().equals("old"));
    assertThat(page.getNextPageToken()).as("all that follow are older").isEmpty();
  }
}
