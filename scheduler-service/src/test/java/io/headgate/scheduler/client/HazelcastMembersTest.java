package io.headgate.scheduler.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import com.hazelcast.cluster.ClusterState;
import com.hazelcast.config.AdvancedNetworkConfig;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.core.OperationTimeoutException;
import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import com.hazelcast.spi.exception.CallerNotMemberException;
import com.hazelcast.spi.exception.TargetDisconnectedException;
import io.headgate.kit.testing.Wire;
import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.runtime.leadership.Group;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Real members in one JVM, on loopback.
final class HazelcastMembersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final byte[] SECRET = "known to all members of a group!".getBytes(US_ASCII);

  private final List<HazelcastMembers> started = new ArrayList<>();

  @AfterEach
  void close() {
    started.forEach(HazelcastMembers::close);
  }

  private HazelcastMembers start(String name, String address, List<String> all) {
    return start(name, new GroupConfig(Optional.of(address), Optional.empty(), all));
  }

  private HazelcastMembers start(String name, GroupConfig group) {
    HazelcastMembers members = new HazelcastMembers(group, name, () -> SECRET, TimeSource.system());
    started.add(members);
    members.start();
    return members;
  }

  @Test
  void seesMembersComeAndGo() throws IOException {
    List<String> addresses = freeAddresses(3);
    HazelcastMembers one = start("one", addresses.get(0), addresses);
    awaitPresent(List.of(one), "one");
    HazelcastMembers two = start("two", addresses.get(1), addresses);
    HazelcastMembers three = start("three", addresses.get(2), addresses);
    awaitPresent(List.of(one, two, three), "one", "two", "three");
    one.close();
    awaitPresent(List.of(two, three), "two", "three");
    assertThat(two.group().goneFor()).containsOnlyKeys("one");
    HazelcastMembers again = start("one", addresses.get(0), addresses);
    awaitPresent(List.of(two, three, again), "one", "two", "three");
    assertThat(three.group().goneFor()).isEmpty();
  }

  static Stream<Serializable> words() {
    return Stream.of(
        ClusterState.FROZEN,
        new IllegalArgumentException("claims mastership but it is not a member"),
        new IllegalStateException("not now", new IOException("gone")),
        new HazelcastSerializationException("refused", new RuntimeException("by the filter")),
        new HazelcastInstanceNotActiveException(),
        new OperationTimeoutException("for minutes"),
        new CallerNotMemberException("not a member"),
        new TargetDisconnectedException("gone"));
  }

  /// Without them parts of a group that fell apart do not find together, or wait for minutes.
  @ParameterizedTest
  @MethodSource("words")
  void letsInWhatMembersTellEachOther(Serializable word) throws Exception {
    assertThat(classes(word)).allMatch(HazelcastMembersTest::isLetIn);
  }

  @Test
  void letsInNothingElse() throws Exception {
    assertThat(classes(new HashMap<>(Map.of("a", URI.create("a:b")))))
        .contains("java.util.HashMap", "java.net.URI")
        .noneMatch(HazelcastMembersTest::isLetIn);
    assertThat(isLetIn("java.lang.reflect.Proxy")).isFalse();
    assertThat(isLetIn("javax.management.BadAttributeValueExpException")).isFalse();
  }

  private static boolean isLetIn(String name) {
    return new HazelcastMembers(
            new GroupConfig(Optional.of("127.0.0.1:5701"), Optional.empty(), List.of()),
            "one",
            () -> SECRET,
            TimeSource.system())
        .config()
        .getSerializationConfig()
        .getJavaSerializationFilterConfig()
        .getWhitelist()
        .isListed(name);
  }

  /// The names of the classes that a reader of it meets.
  private static Set<String> classes(Object word) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(word);
    }
    Set<String> names = new TreeSet<>();
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())) {
          @Override
          protected Class<?> resolveClass(ObjectStreamClass description)
              throws IOException, ClassNotFoundException {
            names.add(description.getName());
            return super.resolveClass(description);
          }
        }) {
      assertThat(in.readObject()).isNotNull();
    }
    return names;
  }

  @Test
  @Tag("faults")
  void findsTogetherAgainAfterACut() throws IOException {
    List<String> names = List.of("one", "two", "three");
    List<String> own = freeAddresses(names.size());
    List<Wire> wires = new ArrayList<>();
    try {
      for (String address : own) {
        wires.add(Wire.to(Integer.parseInt(address.split(":")[1])));
      }
      List<String> all = wires.stream().map(Wire::address).toList();
      for (int i = 0; i < names.size(); i++) {
        start(
            names.get(i),
            new GroupConfig(Optional.of(own.get(i)), Optional.of(wires.get(i).address()), all));
      }
      awaitPresent(started, "one", "two", "three");

      wires.forEach(Wire::stall);
      for (int i = 0; i < names.size(); i++) {
        awaitPresent(started.subList(i, i + 1), names.get(i));
      }
      assertThat(started.getFirst().group().goneFor()).containsOnlyKeys("two", "three");

      wires.forEach(Wire::resume);
      awaitPresent(started, "one", "two", "three");
      assertThat(started).allSatisfy(each -> assertThat(each.group().goneFor()).isEmpty());
    } finally {
      for (Wire wire : wires) {
        wire.close();
      }
    }
  }

  @Test
  void waitsForAPortThatIsTakenWhileNothingIsKnown() throws IOException {
    String address = freeAddresses(1).getFirst();
    try (ServerSocket taken =
        new ServerSocket(
            Integer.parseInt(address.split(":")[1]), 1, InetAddress.getLoopbackAddress())) {
      HazelcastMembers members = start("one", address, List.of());
      assertThat(taken.isBound()).isTrue();
      assertThat(members.group()).isEqualTo(Group.UNKNOWN);
    }
    awaitPresent(started, "one");
  }

  @Test
  void canBeClosedBeforeItBegan() {
    GroupConfig group = new GroupConfig(Optional.of("127.0.0.1:5701"), Optional.empty(), List.of());
    HazelcastMembers members =
        new HazelcastMembers(group, "one", () -> SECRET, TimeSource.system());
    members.close();
    assertThat(members.group()).isEqualTo(Group.UNKNOWN);
  }

  @Test
  void servesNothingButTheMembersProtocolAndStoresNothing() {
    Config config =
        new HazelcastMembers(
                new GroupConfig(
                    Optional.of("127.0.0.1:5701"), Optional.empty(), List.of("127.0.0.1:5702")),
                "one",
                () -> SECRET,
                TimeSource.system())
            .config();
    AdvancedNetworkConfig network = config.getAdvancedNetworkConfig();
    assertThat(network.isEnabled()).isTrue();
    assertThat(network.getEndpointConfigs()).containsOnlyKeys(EndpointQualifier.MEMBER);
    assertThat(network.getJoin().getMulticastConfig().isEnabled()).isFalse();
    assertThat(network.getJoin().getAutoDetectionConfig().isEnabled()).isFalse();
    assertThat(network.getJoin().getTcpIpConfig().getMembers()).containsExactly("127.0.0.1:5702");
    assertThat(config.isLiteMember()).isTrue();
    assertThat(config.getJetConfig().isEnabled()).isFalse();
    assertThat(config.getProperty("hazelcast.phone.home.enabled")).isEqualTo("false");
    var filter = config.getSerializationConfig().getJavaSerializationFilterConfig();
    assertThat(filter).isNotNull();
    assertThat(filter.isDefaultsDisabled()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0:5701", "8.8.8.8:5701", "localhost:5701", "127.0.0.1", "x:1:2"})
  void refusesAnAddressThatIsNotPrivate(String address) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new GroupConfig(Optional.of(address), Optional.empty(), List.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:5701", "10.1.2.3:5701", "192.168.0.7:1", "[fd00::1]:5701"})
  void takesAnAddressThatIsPrivate(String address) {
    assertThat(
            new GroupConfig(Optional.of(address), Optional.empty(), List.of("scheduler-2:5701"))
                .port())
        .isPositive();
  }

  /// All replicas see these members in one order, so they agree which is first. The order depends
  /// on the course of discovery.
  private static void awaitPresent(List<HazelcastMembers> seers, String... names) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(() -> {
          List<String> seen = seers.getFirst().group().present();
          assertThat(seen).containsExactlyInAnyOrder(names);
          assertThat(seers).extracting(seer -> seer.group().present()).containsOnly(seen);
        });
  }

  private static List<String> freeAddresses(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return sockets.stream().map(socket -> "127.0.0.1:" + socket.getLocalPort()).toList();
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }
}
