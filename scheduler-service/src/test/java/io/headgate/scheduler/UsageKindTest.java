package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.UsageKind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// How the use of a job counts against its policy, as the job shows it.
final class UsageKindTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  @Test
  void jobsFillTheReservationAndThenTheLimit() {
    try (Installation installation = new Installation(POSTGRES.fresh())) {
      installation.neighbours.provision(
          Fixtures.resources(
              List.of(Fixtures.pool("onprem")), List.of(Fixtures.profile("one", "1", "onprem"))));
      installation.neighbours.grant(
          Fixtures.access(
              List.of(Fixtures.group("rnd", "alice")),
              List.of(
                  Fixtures.policy("rnd", "rnd", "1", "2").toBuilder()
                      .addExceedLimit("alice")
                      .build()),
              List.of(Fixtures.queue("rnd-one", "rnd", "one", 1))));
      installation.neighbours.register(Fixtures.node("m-0", "onprem", 4));
      installation.start().awaitReady("rnd-one");
      installation.agent("m-0").connect();
      JobServiceBlockingStub alice = installation.alice();
      for (int i = 0; i < 3; i++) {
        submit(alice, submit("rnd-one", "r-" + i));
        awaitState(alice, "r-" + i, Job.State.STATE_RUNNING);
      }

      assertThat(List.of("r-0", "r-1", "r-2"))
          .extracting(job -> get(alice, job).getUsageKind())
          .containsExactly(
              UsageKind.USAGE_KIND_ENTITLED,
              UsageKind.USAGE_KIND_OVER_RESERVATION,
              UsageKind.USAGE_KIND_ABOVE_LIMIT);
    }
  }
}
