package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.access;
import static io.headgate.scheduler.Fixtures.group;
import static io.headgate.scheduler.Fixtures.node;
import static io.headgate.scheduler.Fixtures.policy;
import static io.headgate.scheduler.Fixtures.pool;
import static io.headgate.scheduler.Fixtures.profile;
import static io.headgate.scheduler.Fixtures.queue;
import static io.headgate.scheduler.Fixtures.resources;
import static io.headgate.scheduler.Fixtures.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The scheduler dies, and all agents come back in one moment: `-Dheadgate.agents` of them.
final class ReconnectStormTest {
  private static final Logger LOG = LoggerFactory.getLogger(ReconnectStormTest.class);

  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final int AGENTS = Integer.getInteger("headgate.agents", 60);

  /// The scheduler's share of the 10 s in which a job starts after a leader's death.
  private static final Duration BACK_WITHIN = Duration.ofSeconds(5);

  private final List<FakeAgent> agents = new ArrayList<>();
  private Installation installation;
  private JobServiceBlockingStub alice;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh());
    installation.neighbours.provision(
        resources(List.of(pool("onprem")), List.of(profile("one", "1", "onprem"))));
    String all = Integer.toString(AGENTS);
    installation.neighbours.grant(
        access(
            List.of(group("rnd", "alice")),
            List.of(policy("rnd", "rnd", all, all)),
            List.of(queue("one", "rnd", "one", 1))));
    for (int i = 0; i < AGENTS; i++) {
      installation.neighbours.register(node("n-" + i, "onprem", 1));
      agents.add(installation.agent("n-" + i));
    }
    installation.start().awaitReady("one");
    alice = installation.alice();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private Duration allConnect() throws Exception {
    long before = System.nanoTime();
    try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<FakeAgent>> connected =
          agents.stream().map(agent -> each.submit(agent::connect)).toList();
      for (Future<FakeAgent> one : connected) {
        assertThat(one.get().isOver()).isFalse();
      }
    }
    Duration taken = Duration.ofNanos(System.nanoTime() - before);
    LOG.info("{} agents were welcomed within {} ms", AGENTS, taken.toMillis());
    return taken;
  }

  private long jobsIn(Job.State state) {
    return alice
        .listJobs(ListJobsRequest.newBuilder().setParent(ACME).setPageSize(1).build())
        .getCountsOrDefault(state.name(), 0);
  }

  @Test
  void takesThemAllBackWithWhatTheyRunAndStartsNothingTwice() throws Exception {
    allConnect();
    BatchSubmitJobsRequest.Builder request = BatchSubmitJobsRequest.newBuilder().setParent(ACME);
    IntStream.range(0, AGENTS).forEach(i -> request.addRequests(submit("one", "j-" + i)));
    assertThat(alice.batchSubmitJobs(request.build()).getJobsCount()).isEqualTo(AGENTS);
    FakeAgent.awaitThat(() -> jobsIn(Job.State.STATE_RUNNING) == AGENTS);

    installation.kill();
    installation.start().awaitReady("one");
    assertThat(allConnect()).isLessThan(BACK_WITHIN);

    assertThat(jobsIn(Job.State.STATE_RUNNING)).isEqualTo(AGENTS);
    for (FakeAgent agent : agents) {
      assertThat(agent.assigns()).as("nothing is said again").isEmpty();
      assertThat(agent.stops()).isEmpty();
      assertThat(agent.begun().values()).containsExactly(1);
      agent.begun().keySet().forEach(job -> agent.exits(job.substring(0, job.indexOf('#')), 0));
    }
    FakeAgent.awaitThat(() -> jobsIn(Job.State.STATE_DONE) == AGENTS);
  }
}
