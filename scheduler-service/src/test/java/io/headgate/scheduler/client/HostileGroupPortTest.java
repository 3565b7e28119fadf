package io.headgate.scheduler.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.kit.time.TimeSource;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Strangers at the port of the schedulers' group (T14). The members are real ones on loopback.
final class HostileGroupPortTest {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final byte[] SECRET = "known to all members of a group!".getBytes(US_ASCII);

  private final List<HazelcastMembers> started = new ArrayList<>();
  private List<String> addresses = List.of();

  @BeforeEach
  void startTheFirst() throws IOException {
    addresses = freeAddresses();
    start("one", 0, SECRET);
    awaitPresent(started.getFirst(), "one");
  }

  @AfterEach
  void close() {
    started.forEach(HazelcastMembers::close);
  }

  /// Without the seal the member allocates the announced 2 GiB at once, and its process ends.
  @Test
  void aPacketThatAnnouncesTwoGigabytesIsCutOff() throws IOException {
    try (Socket stranger = connect(0)) {
      ByteBuffer packet = ByteBuffer.allocate(256);
      packet.put("HZC".getBytes(US_ASCII));
      packet.put((byte) 4).putShort((short) 0).putInt(0).putInt(Integer.MAX_VALUE);
      stranger.getOutputStream().write(packet.array());
      assertThat(isCutOff(stranger)).isTrue();
    }
    aFurtherMemberJoins();
  }

  /// A stranger with all settings of a member except the secret stays out.
  @Test
  void aStrangerDoesNotJoin() {
    HazelcastMembers stranger =
        start("stranger", 2, "a guess of the members' secret..".getBytes(US_ASCII));

    await().atMost(PATIENCE).until(() -> started.getFirst().refusals() > 0);
    HazelcastMembers two = start("two", 1, SECRET);
    awaitPresent(two, "one", "two");
    awaitPresent(started.getFirst(), "one", "two");
    assertThat(stranger.group().present()).doesNotContain("one", "two");
  }

  /// A peer that only repeats the words of the member proves nothing.
  @Test
  void anEchoOfTheMembersOwnWordsIsCutOff() throws IOException {
    try (Socket stranger = connect(0)) {
      stranger.getOutputStream().write("HZC".getBytes(US_ASCII));
      byte[] greeting = stranger.getInputStream().readNBytes(3 + GroupSeal.NONCE);
      assertThat(greeting).startsWith("HZC".getBytes(US_ASCII));

      // The member's own random number, sent back.
      stranger.getOutputStream().write(greeting, 3, GroupSeal.NONCE);
      assertThat(isCutOff(stranger)).isTrue();
    }
    aFurtherMemberJoins();
  }

  @Test
  void silentConnectionsMakeRoomForFurtherOnes() throws IOException {
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 3 * SealedGroupContext.UNPROVED; i++) {
        silent.add(connect(0));
      }
      for (Socket early : silent.subList(0, SealedGroupContext.UNPROVED)) {
        assertThat(isCutOff(early)).isTrue();
      }
      aFurtherMemberJoins();
    } finally {
      for (Socket each : silent) {
        each.close();
      }
    }
  }

  private void aFurtherMemberJoins() {
    awaitPresent(start("two", 1, SECRET), "one", "two");
  }

  private HazelcastMembers start(String name, int address, byte[] secret) {
    HazelcastMembers members =
        new HazelcastMembers(
            new GroupConfig(
                Optional.of(addresses.get(address)), Optional.empty(), addresses.subList(0, 2)),
            name,
            () -> secret,
            TimeSource.system());
    started.add(members);
    members.start();
    return members;
  }

  private Socket connect(int address) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), port(addresses.get(address)));
  }

  private static int port(String address) {
    return Integer.parseInt(address.split(":")[1]);
  }

  /// Reads until the member closes the connection.
  private static boolean isCutOff(Socket socket) throws IOException {
    socket.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
    try {
      InputStream in = socket.getInputStream();
      in.readAllBytes();
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true; // Reset.
    }
  }

  private static void awaitPresent(HazelcastMembers seer, String... names) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(() -> assertThat(seer.group().present()).containsExactlyInAnyOrder(names));
  }

  private static List<String> freeAddresses() throws IOException {
    try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerSocket two = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerSocket three = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return List.of(
          "127.0.0.1:" + one.getLocalPort(),
          "127.0.0.1:" + two.getLocalPort(),
          "127.0.0.1:" + three.getLocalPort());
    }
  }
}
