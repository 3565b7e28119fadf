package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.scheduler.v1.ListUsageIntervalsRequest;
import io.headgate.proto.scheduler.v1.ReportCapacityRequest;
import io.headgate.proto.scheduler.v1.UsageInterval;
import io.headgate.proto.scheduler.v1.UsageReportServiceGrpc;
import io.headgate.proto.scheduler.v1.UsageReportServiceGrpc.UsageReportServiceBlockingStub;
import io.headgate.proto.type.v1.DeviceCondition;
import io.headgate.proto.type.v1.DeviceHealth;
import io.headgate.type.GpuQuantity;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The devices that take no work, as the list of the ledger's intervals tells them.
final class DownIntervalsTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private FakeAgent agent;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh()).with(Installation.SUSPICIOUS);
    installation.neighbours.provision(
        Fixtures.resources(
            List.of(Fixtures.pool("onprem")), List.of(Fixtures.profile("one", "1", "onprem"))));
    installation.neighbours.grant(
        Fixtures.access(
            List.of(Fixtures.group("rnd", "alice")),
            List.of(Fixtures.policy("rnd", "rnd", "2", "2")),
            List.of(Fixtures.queue("rnd-one", "rnd", "one", 1))));
    installation.neighbours.register(node());
    installation.start().awaitReady("rnd-one");
    FakeAgent.awaitThat(() -> down().equals(List.of(0, 1)));
    agent = installation.agent("m-0").connect();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private static Node node() {
    return Fixtures.node("m-0", "onprem", 2);
  }

  private static Node withSickDevice() {
    Node.Builder node = node().toBuilder();
    node.getDevicesBuilder(1)
        .setCondition(
            DeviceCondition.newBuilder()
                .setHealth(DeviceHealth.DEVICE_HEALTH_UNHEALTHY)
                .setCause("it has fallen off the bus (XID 79)"));
    return node.build();
  }

  private UsageReportServiceBlockingStub reports() {
    return UsageReportServiceGrpc.newBlockingStub(
        installation.channel(installation.tokens.member("acme", "alice")));
  }

  private List<UsageInterval> until(Timestamp end) {
    return reports()
        .listUsageIntervals(
            ListUsageIntervalsRequest.newBuilder()
                .setParent(ACME)
                .setStartTime(anHourAgo(end))
                .setEndTime(end)
                .setIncludeDown(true)
                .build())
        .getIntervalsList();
  }

  private static Timestamp now() {
    return Timestamps.fromMillis(System.currentTimeMillis());
  }

  private static Timestamp anHourAgo(Timestamp time) {
    return Timestamps.fromMillis(Timestamps.toMillis(time) - 3_600_000);
  }

  private List<UsageInterval> lasting() {
    return until(now()).stream().filter(each -> !each.hasEndTime()).toList();
  }

  /// The devices that are down now.
  private List<Integer> down() {
    return lasting().stream().map(UsageInterval::getDevice).toList();
  }

  /// Waits, while the agent is heard of.
  private void awaitDown(List<Integer> devices) {
    FakeAgent.awaitThat(() -> {
      agent.heartbeat();
      return down().equals(devices);
    });
  }

  @Test
  void devicesAreDownWithoutAGapThroughADeathAndAddUpToThePool() {
    awaitDown(List.of());
    installation.neighbours.register(withSickDevice());
    awaitDown(List.of(1));
    agent.disconnect();
    FakeAgent.awaitThat(() -> down().equals(List.of(0, 1)));
    List<UsageInterval> before = lasting();
    assertThat(before)
        .allMatch(each -> each.getDown() && each.getQuantity().equals("1"))
        .extracting(UsageInterval::getDeviceUuid)
        .containsExactly("SIM-m-0-0", "SIM-m-0-1");

    installation.kill();
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);

    assertThat(lasting()).as("while the new leader waits for the node").isEqualTo(before);
    agent.connect();
    awaitDown(List.of(1));
    Timestamp end = now();
    List<UsageInterval> all = until(end);
    List<UsageInterval> ofSick =
        all.stream()
            .filter(each -> each.getDevice() == 1)
            .dropWhile(each -> !each.getEndTime().equals(before.getFirst().getStartTime()))
            .toList();
    assertThat(ofSick).hasSizeGreaterThanOrEqualTo(3);
    for (int i = 1; i < ofSick.size(); i++) {
      assertThat(ofSick.get(i).getStartTime()).isEqualTo(ofSick.get(i - 1).getEndTime());
    }
    assertThat(ofSick.getLast().hasEndTime()).isFalse();
    assertThat(all.stream().mapToLong(each -> amount(each, end)).sum())
        .isEqualTo(
            Long.parseLong(
                reports()
                    .reportCapacity(
                        ReportCapacityRequest.newBuilder()
                            .setParent(ACME)
                            .setStartTime(anHourAgo(end))
                            .setEndTime(end)
                            .build())
                    .getPools(0)
                    .getDown()));
  }

  /// In units × ms until a time.
  private static long amount(UsageInterval interval, Timestamp until) {
    long end =
        interval.hasEndTime()
            ? Math.min(Timestamps.toMillis(interval.getEndTime()), Timestamps.toMillis(until))
            : Timestamps.toMillis(until);
    return GpuQuantity.parse(interval.getQuantity()).units()
        * (end - Timestamps.toMillis(interval.getStartTime()));
  }
}
