package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.runtime.ledger.MachineKey;
import io.headgate.kit.config.Secret;
import io.headgate.kit.failure.Refusal;
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
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  @ParameterizedTest
  @ValueSource(ints = {-400, 400})
  void aClockThatIsWrongCostsOneMoreCallAndNotTheIdentity(int days) throws Exception {
    run(TimeSource.system());
    long last = counters().getLast();
    int proofs = counters().size();
    int calls = plane.exchanges.get();

    run(new Wrong(Duration.ofDays(days)));

    assertThat(counters()).contains(last + 1).isSorted().doesNotHaveDuplicates();
    assertThat(plane.exchanges.get() - calls)
        .as("the counter of one proof was wrong")
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

    awaitRefusal();
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
  void aMachineThatMayNotJoinAnewKeepsThePairOfItsFormerIdentity() throws Exception {
    run(TimeSource.system());
    byte[] identity = Files.readAllBytes(file("identity"));
    byte[] key = plane.machines.keyOf("n1");
    Files.delete(file("identity"));
    plane.joinRefusal = Optional.of(Refusal.alreadyExists("NAME_TAKEN", "another machine is n1"));
    awaitRefusal();
    assertThat(plane.enrolments).as("the join was not accepted").hasSize(1);
    assertThat(file("machine-key.next")).exists();

    Files.write(file("identity"), identity);
    run(TimeSource.system());
    assertThat(plane.machines.keyOf("n1")).isEqualTo(key);
    assertThat(plane.enrolments).hasSize(1);
    assertThat(file("machine-key.next")).doesNotExist();
    assertThat(file("enrolment-request")).doesNotExist();
  }

  @Test
  void aRequestGoesOnWithItsPairWhereverTheAgentDied() throws Exception {
    plane.losesEnrolments = true;
    try (NodeAgent deaf = agent(TimeSource.system())) {
      deaf.start();
      await().atMost(FakeControlPlane.PATIENCE).until(() -> !plane.enrolments.isEmpty());
    }
    byte[] pair = Files.readAllBytes(file("machine-key.next"));
    byte[] request = Files.readAllBytes(file("enrolment-request"));
    plane.losesEnrolments = false;
    run(TimeSource.system());
    assertThat(file("machine-key")).hasBinaryContent(pair);

    // Before the pair was renamed, and after that.
    for (String name : List.of("machine-key.next", "machine-key")) {
      Files.delete(file("identity"));
      Files.delete(file("machine-key"));
      Files.write(file(name), pair);
      Files.write(file("enrolment-request"), request);
      run(TimeSource.system());
      assertThat(file("machine-key")).hasBinaryContent(pair);
      assertThat(file("machine-key.next")).doesNotExist();
      assertThat(file("enrolment-request")).doesNotExist();
    }
    assertThat(Set.copyOf(plane.enrolments)).as("one request, repeated").hasSize(1);

    // After the identity was kept, and before the request was forgotten.
    int asked = plane.enrolments.size();
    Files.write(file("enrolment-request"), request);
    run(TimeSource.system());
    assertThat(plane.enrolments).hasSize(asked);
    assertThat(file("enrolment-request")).doesNotExist();
  }

  @Test
  void aPairThatWasNeverAskedWithIsUsedByTheNextRequest() throws Exception {
    MachineKey made = MachineKey.ofRequest(Files.createDirectories(data()));

    run(TimeSource.system());
    assertThat(plane.machines.keyOf("n1")).isEqualTo(made.publicKey());
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

  /// Starts an agent and waits until the installation has refused it for good.
  private void awaitRefusal() {
    try (NodeAgent agent = agent(TimeSource.system())) {
      agent.start();
      await().atMost(FakeControlPlane.PATIENCE).until(() -> agent.refusal().isDone());
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

  private Path file(String name) {
    return data().resolve(name);
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

  /// A machine whose wall clock is wrong.
  private record Wrong(Duration by) implements TimeSource {
    @Override
    public Instant instant() {
      return TimeSource.system().instant().plus(by);
    }

    @Override
    public long monotonicNanos() {
      return TimeSource.system().monotonicNanos();
    }
  }
}
