package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.proto.type.v1.AuditFault;
import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestAuditLogs;
import io.headgate.sdk.gate.TestGate;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The command follows each chain to its end and names what is wrong.
class AuditTest {
  private static final String HASH = "ab".repeat(32);

  private final TestGate gate = TestGate.open();
  @TempDir Path home;

  @AfterEach
  void close() {
    gate.close();
  }

  private Result audit(String... words) {
    String[] all = new String[words.length + 1];
    all[0] = "audit";
    System.arraycopy(words, 0, all, 1, words.length);
    return TestCli.at(gate, home).run(all);
  }

  @Test
  void aSoundChainIsFollowedToItsEnd() {
    Result result = audit("--verify");
    assertThat(result.out())
        .isEqualTo(
            """
            policy: 5 entries agree with the chain, up to 5:%s; 7 entries are from before the chain, and unproven
            pool: 0 entries agree with the chain
            """
                .formatted(HASH));
    assertThat(result.exitCode()).isZero();
    assertThat(gate.audit.asked).hasSize(3);
    assertThat(gate.audit.asked.getFirst().getParent()).isEqualTo("tenants/acme");
    assertThat(gate.audit.asked.getLast().getAfter()).isEqualTo(TestAuditLogs.anchor(4));
  }

  @Test
  void theFirstFaultIsNamedAndEndsTheCommandWithOne() {
    gate.audit.fault =
        Optional.of(
            AuditFault.newBuilder()
                .setKind(AuditFault.Kind.KIND_MISSING)
                .setSequence(6)
                .setAuditId(42)
                .build());
    Result result = audit("--verify");
    assertThat(result.out()).startsWith("policy: entry 6 (audit_id 42) is missing; the 5 entries");
    assertThat(result.exitCode()).isOne();
  }

  @Test
  void anAnchorGoesToTheServiceOfItsLog() {
    assertThat(audit("--verify", "--anchor", "policy:5:" + HASH).exitCode()).isZero();
    assertThat(gate.audit.asked.getFirst().getAnchorsList())
        .containsExactly(TestAuditLogs.anchor(5));
    assertThat(audit("--verify", "--anchor", "5:" + HASH).exitCode()).isEqualTo(2);
  }

  @Test
  void theChainOfTheInstallationIsAskedForByName() {
    assertThat(audit("--verify", "--installation").exitCode()).isZero();
    assertThat(gate.audit.asked.getFirst().getParent()).isEmpty();
    assertThat(audit().exitCode()).as("without an action").isEqualTo(2);
  }
}
