package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.grpc.Connections.Answer;
import io.headgate.kit.time.TimeSource;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Connections that give way to others.
class ConnectionsTest {
  private static final InetAddress NODE = InetAddress.ofLiteral("10.0.0.1");
  private static final InetAddress OTHER = InetAddress.ofLiteral("10.0.0.2");

  private final Connections connections = new Connections(200, 100, TimeSource.system());

  private EmbeddedChannel connect(InetAddress from, String caller) {
    EmbeddedChannel channel = new EmbeddedChannel();
    assertThat(connections.admit(channel, from)).isEqualTo(Answer.ADMITTED);
    if (!caller.isEmpty()) {
      Connections.of(channel).orElseThrow().prove(caller);
    }
    return channel;
  }

  private List<EmbeddedChannel> connect(int count, InetAddress from, String caller) {
    List<EmbeddedChannel> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      made.add(connect(from, caller));
    }
    return made;
  }

  private static long open(List<EmbeddedChannel> channels) {
    channels.forEach(EmbeddedChannel::runPendingTasks);
    return channels.stream().filter(EmbeddedChannel::isOpen).count();
  }

  @Test
  void twoCallersWithAllConnectionsOfAnAddressDoNotShutOutAnAgent() {
    List<EmbeddedChannel> one = connect(50, NODE, "one");
    List<EmbeddedChannel> two = connect(50, NODE, "two");

    EmbeddedChannel agent = connect(NODE, "agent");

    assertThat(open(one) + open(two)).isEqualTo(99);
    assertThat(agent.isOpen()).isTrue();
  }

  @Test
  void oneCallerAtManyAddressesDoesNotShutOutOthers() {
    List<EmbeddedChannel> flood = connect(100, NODE, "flood");
    flood.addAll(connect(100, OTHER, "flood"));
    List<EmbeddedChannel> honest = connect(20, InetAddress.ofLiteral("10.0.0.3"), "honest");

    assertThat(open(honest)).isEqualTo(20);
    assertThat(open(flood)).isEqualTo(180);
  }

  @Test
  void aFewConnectionsOfACallerNeverGiveWay() {
    List<List<EmbeddedChannel>> all = new ArrayList<>();
    for (int caller = 0; caller < 4; caller++) {
      all.add(connect(25, NODE, "caller-" + caller));
    }

    assertThat(connections.admit(new EmbeddedChannel(), NODE)).isEqualTo(Answer.REFUSED);
    assertThat(all).allSatisfy(each -> assertThat(open(each)).isEqualTo(25));
  }

  @Test
  void aConnectionWhoseCallsAllFailIsUnprovenAgain() {
    EmbeddedChannel channel = connect(NODE, "ada");
    Connections.Connection connection = Connections.of(channel).orElseThrow();
    for (int i = 1; i < Connections.FAILURES; i++) {
      connection.failed();
    }
    assertThat(connection.isProven()).isTrue();
    connection.prove("ada");
    for (int i = 0; i < Connections.FAILURES; i++) {
      connection.failed();
    }
    assertThat(connection.isProven()).isFalse();
  }

  @Test
  void anUnprovenConnectionGivesWayFirst() {
    EmbeddedChannel unproven = connect(NODE, "");
    List<EmbeddedChannel> proven = connect(99, NODE, "ada");

    connect(NODE, "grace");

    assertThat(open(List.of(unproven))).isZero();
    assertThat(open(proven)).isEqualTo(99);
  }
}
