package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import io.grpc.Status.Code;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.Slice;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.type.v1.DeviceGeometry;
import io.headgate.proto.type.v1.IsolationLevel;
import io.headgate.proto.type.v1.SlicePlacement;
import io.headgate.proto.type.v1.SliceProfile;
import io.headgate.proto.type.v1.SliceTable;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A live machine with MIG devices: slices are assigned by place, and kept through a death.
final class SlicedDeviceTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private JobServiceBlockingStub alice;
  private FakeAgent agent;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh());
    installation.neighbours.provision(
        Fixtures.resources(
            List.of(Fixtures.pool("onprem")), List.of(Fixtures.profile("half", "1/2", "onprem"))));
    installation.neighbours.grant(
        Fixtures.access(
            List.of(Fixtures.group("rnd", "alice")),
            List.of(Fixtures.policy("rnd", "rnd", "1", "1")),
            List.of(Fixtures.queue("rnd-half", "rnd", "half", 1))));
    installation.neighbours.register(mig("m-0"));
    installation.start().awaitReady("rnd-half");
    alice = installation.alice();
    agent = installation.agent("m-0").connect();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private static Node mig(String id) {
    Node.Builder node = Fixtures.node(id, "onprem", 1).toBuilder();
    node.getDevicesBuilder(0)
        .setGeometry(DeviceGeometry.DEVICE_GEOMETRY_MIG)
        .setIsolation(IsolationLevel.ISOLATION_LEVEL_HARDWARE)
        .setSlices(
            SliceTable.newBuilder()
                .setMemorySlices(8)
                .setComputeSlices(7)
                .addProfiles(profile("1g.10gb", 1, 1, 0, 1, 2, 3, 4, 5, 6))
                .addProfiles(profile("3g.40gb", 4, 3, 0, 4)));
    return node.build();
  }

  private static SliceProfile profile(String name, int memory, int compute, Integer... starts) {
    return SliceProfile.newBuilder()
        .setName(name)
        .setMemorySlices(memory)
        .setComputeSlices(compute)
        .addAllStarts(List.of(starts))
        .build();
  }

  private SlicePlacement placement(String job) {
    return slice(job).getPlacement();
  }

  private Slice slice(String job) {
    return get(alice, job).getAttempts(0).getPlacements(0).getSlices(0);
  }

  @Test
  void suspendsNoPartOfAGpu() {
    SubmitJobRequest.Builder kept = submit("rnd-half", "a").toBuilder();
    kept.getSpecBuilder().setSuspend(Durations.fromSeconds(3600));
    Refused.by(() -> alice.submitJob(kept.build()))
        .hasReason(Code.FAILED_PRECONDITION, "CANNOT_SUSPEND")
        .names("spec.suspend", "'rnd-half'");
  }

  @Test
  void assignsPlacesAndKeepsThemThroughADeath() {
    submit(alice, submit("rnd-half", "a"));
    submit(alice, submit("rnd-half", "b"));
    awaitState(alice, "a", Job.State.STATE_RUNNING);
    awaitState(alice, "b", Job.State.STATE_RUNNING);
    SlicePlacement first = agent.awaitAssign("a").getSlices(0).getPlacement();
    assertThat(first.getProfile()).isEqualTo("3g.40gb");
    assertThat(first.getSize()).isEqualTo(4);
    assertThat(first.getGives()).isEqualTo("1/2");
    assertThat(agent.awaitAssign("a").getSlices(0).getMemoryBytes()).isEqualTo(40L << 30);
    assertThat(List.of(placement("a").getStart(), placement("b").getStart()))
        .containsExactlyInAnyOrder(0, 4);
    agent.awaitAcknowledged();
    int startOfB = placement("b").getStart();
    installation.kill();
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);

    assertThat(slice("b").getIsolation()).isEqualTo(IsolationLevel.ISOLATION_LEVEL_HARDWARE);
    agent.connect();
    agent.exits("a", 0);
    awaitState(alice, "a", Job.State.STATE_DONE);
    submit(alice, submit("rnd-half", "c"));
    awaitState(alice, "c", Job.State.STATE_RUNNING);
    assertThat(placement("b").getStart()).isEqualTo(startOfB);
    assertThat(placement("c").getStart()).isEqualTo(4 - startOfB);
  }
}
