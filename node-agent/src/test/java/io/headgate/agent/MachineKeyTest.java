package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.runtime.ledger.MachineKey;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.policy.v1.EnrollNodeRequest;
import io.headgate.proto.policy.v1.MachineProof;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The key pair of a machine: made before it joins, kept in its data directory, and shown with each
/// token. The other end of the wire verifies each proof.
class MachineKeyTest {
  @TempDir Path root;
  private final FakeControlPlane plane = new FakeControlPlane();

  @AfterEach
  void close() {
    plane.close();
  }

  @Test
  void isOnDiskForItsOwnerOnlyAndItsPrivateHalfIsNotSent() throws Exception {
    run(TimeSource.system());

    Path file = data().resolve("machine-key");
    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    EnrollNodeRequest joined = plane.enrolments.getFirst();
    assertThat(joined.getPublicKey().toByteArray()).isEqualTo(plane.machines.keyOf("n1"));
    byte[] secret = privateHalf(file);
    assertThat(secret).hasSize(32);
    String sent = HexFormat.of().formatHex(joined.toByteArray());
    assertThat(sent).doesNotContain(HexFormat.of().formatHex(secret));
    assertThat(plane.machines.proofs)
        .isNotEmpty()
        .allSatisfy(proof ->
            assertThat(HexFormat.of().formatHex(proof.toByteArray()))
                .doesNotContain(HexFormat.of().formatHex(secret)));
  }

  @Test
  void staysTheSameOverRestartsWithRisingCounters() throws Exception {
    run(TimeSource.system());
    byte[] key = plane.machines.keyOf("n1");
    run(TimeSource.system());
    run(TimeSource.system());

    assertThat(plane.enrolments).hasSize(1);
    assertThat(plane.machines.keyOf("n1")).isEqualTo(key);
    assertThat(counters()).hasSizeGreaterThanOrEqualTo(3).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aClockThatWasSetBackCostsOneMoreCallAndNotTheIdentity() throws Exception {
    run(TimeSource.system());
    long last = counters().getLast();
    int proofs = counters().size();
    int calls = plane.exchanges.get();

    run(new Late(Duration.ofDays(400)));

    assertThat(counters()).contains(last + 1).isSorted().doesNotHaveDuplicates();
    assertThat(plane.exchanges.get() - calls)
        .as("one of the proofs was outdated")
        .isEqualTo(counters().size() - proofs + 1);
  }

  @Test
  void aDataDirectoryRestoredFromAnOlderCopyIsStillTheSameMachine() throws Exception {
    run(TimeSource.system());
    byte[] identity = Files.readAllBytes(data().resolve("identity"));
    byte[] machineKey = Files.readAllBytes(data().resolve("machine-key"));
    run(TimeSource.system());
    plane.machines.advance("n1", Instant.now().plus(Duration.ofDays(30)).toEpochMilli());
    Files.delete(data().resolve("identity"));
    Files.delete(data().resolve("machine-key"));
    Files.write(data().resolve("identity"), identity);
    Files.write(data().resolve("machine-key"), machineKey);

    run(TimeSource.system());
    assertThat(plane.enrolments).hasSize(1);
    assertThat(counters()).isSorted();
  }

  @Test
  void aNodeFromBeforeGetsAKeyPairAndShowsIt() throws Exception {
    run(TimeSource.system());
    Files.delete(data().resolve("machine-key"));
    plane.machines.unbind("n1");

    run(TimeSource.system());
    assertThat(plane.enrolments).hasSize(1);
    assertThat(plane.machines.keyOf("n1"))
        .isEqualTo(MachineKey.of(data()).publicKey())
        .isNotEqualTo(plane.enrolments.getFirst().getPublicKey().toByteArray());
  }

  @Test
  void anIdentityWithoutItsKeyPairIsRefusedForGood() throws Exception {
    run(TimeSource.system());
    Files.delete(data().resolve("machine-key"));

    try (NodeAgent stranger = agent(TimeSource.system())) {
      stranger.start();
      await().atMost(FakeControlPlane.PATIENCE).until(() -> stranger.refusal().isDone());
    }
  }

  @Test
  void joiningAgainMakesANewPair() throws Exception {
    run(TimeSource.system());
    byte[] first = plane.machines.keyOf("n1");
    Files.delete(data().resolve("identity"));
    plane.machines.unbind("n1");

    run(TimeSource.system());
    assertThat(plane.enrolments)
        .extracting(EnrollNodeRequest::getRequestId)
        .doesNotHaveDuplicates();
    assertThat(plane.machines.keyOf("n1")).isNotEqualTo(first);
  }

  @Test
  void aDamagedFileIsReportedWithoutWhatItHolds() throws Exception {
    MachineKey.of(root);
    Path file = root.resolve("machine-key");
    String text = Files.readString(file, StandardCharsets.UTF_8);
    for (String damaged :
        List.of("", text.substring(0, 60), text.replaceFirst("private=..", "private=zz"))) {
      Files.writeString(file, damaged, StandardCharsets.UTF_8);
      assertThatIOException()
          .isThrownBy(() -> MachineKey.of(root))
          .withMessageContaining("machine-key is damaged; delete it and the file identity")
          .withNoCause();
    }
  }

  /// Starts an agent, waits until it is of use, and ends it.
  private void run(TimeSource time) {
    try (NodeAgent agent = agent(time)) {
      agent.start();
      await().atMost(FakeControlPlane.PATIENCE).until(agent::isReady);
    }
  }

  private NodeAgent agent(TimeSource time) {
    return new NodeAgent(
        AgentConfig.of(data(), "n1", plane.uri())
            .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN))
            .withSimulatedGpus("1xH100"),
        Telemetry.disabled(),
        time);
  }

  private Path data() {
    return root.resolve("n1");
  }

  private List<Long> counters() {
    return plane.machines.proofs.stream().map(MachineProof::getCounter).toList();
  }

  /// The last 32 bytes of the encoding are the private key itself.
  private static byte[] privateHalf(Path file) throws Exception {
    String hex =
        Files.readAllLines(file).stream()
            .filter(line -> line.startsWith("private="))
            .findFirst()
            .orElseThrow()
            .substring("private=".length());
    byte[] encoded = HexFormat.of().parseHex(hex);
    return Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length);
  }

  /// A machine whose wall clock was set back.
  private record Late(Duration by) implements TimeSource {
    @Override
    public Instant instant() {
      return TimeSource.system().instant().minus(by);
    }

    @Override
    public long monotonicNanos() {
      return TimeSource.system().monotonicNanos();
    }
  }
}
