package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.proto.policy.v1.CreateJoinTokenRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.Key;
import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Admins make, list and revoke keys; a secret is shown once.
class KeysTest {
  private final TestGate gate = TestGate.open();
  @TempDir Path home;

  @AfterEach
  void close() {
    gate.close();
  }

  private Result run(String... words) {
    return TestCli.at(gate, home).run(words);
  }

  @Test
  void aNewKeyIsAllThatStandardOutputGets() {
    Result made = run("keys", "create", "ada", "--description", "laptop");

    assertThat(made.out()).isEqualTo("hg_user_secret\n");
    assertThat(made.err())
        .isEqualTo(
            """
            key 0000000000000001 of ada, valid until it is revoked. It is not shown again.
            sign in with it: headgate login --server %s
            """
                .formatted(gate.address()));
    assertThat(run("keys", "create", "ada", "-o", "json").out())
        .contains("\"secret\": \"hg_user_secret\"", "\"name\": \"keys/0000000000000002\"");
  }

  @Test
  void theListShowsNoSecret() {
    run("keys", "create", "ada", "--description", "laptop");
    run("keys", "create", "nightly", "--service-account", "--expires", "90d");

    assertThat(run("keys").out())
        .isEqualTo(
            """
            KEY               OWNER    KIND             MADE  LAST USED  EXPIRES              DESCRIPTION
            0000000000000002  nightly  service account  0s    -          2027-02-19 14:00:00  -
            0000000000000001  ada      user             0s    -          -                    laptop
            """);
    assertThat(run("keys", "-o", "json").out() + run("keys", "-o", "csv").out())
        .doesNotContain("secret");
  }

  @Test
  void aRevokedKeyIsGone() {
    run("keys", "create", "ada");
    run("keys", "create", "ada");

    assertThat(run("keys", "revoke", "0000000000000001").out())
        .isEqualTo("revoked 0000000000000001\n");
    assertThat(gate.tokens.keys).extracting(Key::getName).containsExactly("keys/0000000000000002");
  }

  @Test
  void allKeysOfAnOwnerAreRevokedAfterAQuestion() {
    gate.rights.inForce =
        gate.rights.inForce.toBuilder().addGroups(Group.newBuilder().addUsers("ada")).build();
    run("keys", "create", "ada");
    run("keys", "create", "ada");
    run("keys", "create", "ada", "--service-account");
    run("keys", "create", "grace");

    Result unasked = run("keys", "revoke", "--owner", "ada");
    assertThat(unasked.err()).contains("2 keys of ada must be confirmed", "--yes");
    Result refused =
        TestCli.at(gate, home)
            .onTerminal(100)
            .typing("n\n")
            .run("keys", "revoke", "--owner", "ada");
    assertThat(refused.err()).contains("Revoke 2 keys of ada? (y/N)", "nothing was revoked");
    assertThat(gate.tokens.keys).hasSize(4);

    assertThat(run("keys", "revoke", "--owner", "ada", "--yes").out())
        .isEqualTo("revoked 0000000000000002\nrevoked 0000000000000001\n");
    assertThat(gate.tokens.keys)
        .extracting(Key::getOwner)
        .containsExactlyInAnyOrder("tenants/acme/serviceAccounts/ada", "tenants/acme/users/grace");
    assertThat(run("keys", "revoke", "--owner", "ada").err()).contains("ada has no key");
    Result mistyped = run("keys", "revoke", "--owner", "adda");
    assertThat(mistyped.err()).contains("USER_NOT_FOUND", "did you mean ada?");
    assertThat(mistyped.exitCode()).isEqualTo(1);
  }

  @Test
  void theListMarksKeysWhoseOwnerIsInNoGroup() {
    run("keys", "create", "ada");
    gate.tokens.keys.replaceAll(key -> key.toBuilder().setOwnerWithoutGroup(true).build());

    assertThat(run("keys").out()).contains("ada (no group)");
    assertThat(run("keys", "-o", "csv").out()).contains(",ada,");
  }

  @Test
  void theListMarksKeysOfNodesThatWorkWithoutTheirMachine() {
    run("keys", "create", "ada");
    run("keys", "create", "grace");
    gate.tokens.keys.replaceAll(
        key -> key.toBuilder().setOwner("tenants/acme/nodes/gpu-1").build());
    gate.tokens.keys.set(
        0, gate.tokens.keys.getFirst().toBuilder().setMachineKey("ab".repeat(32)).build());

    assertThat(run("keys").out()).containsOnlyOnce("gpu-1 (unbound)");
    assertThat(run("keys", "-o", "json").out()).contains("\"machineKey\": \"abab");
    assertThat(run("keys", "-o", "csv").out()).doesNotContain("unbound");
  }

  /// A server records requests, so they must not contain a secret.
  @Test
  void ofAKeyThatWasFoundTheIdAloneIsSent() {
    run("keys", "create", "ada");

    Result revoked = run("keys", "revoke", "hg_user_0000000000000001_" + "s".repeat(43));

    assertThat(revoked.out()).isEqualTo("revoked 0000000000000001\n");
    assertThat(gate.tokens.keys).isEmpty();
  }

  @Test
  void aJoinTokenIsAllThatStandardOutputGets() {
    Result made = run("join-token", "onprem", "--uses", "8", "--expires", "24h");

    assertThat(made.out()).isEqualTo("hg_join_secret\n");
    assertThat(made.err())
        .isEqualTo(
            """
            join token 0000000000000001 lets 8 machines join pool onprem, valid for 1d. It is not shown again.
            on a machine, with the token alone in the file join.token:
            headgate-agent --data /var/lib/headgate --server %s --join-token-file join.token
            """
                .formatted(gate.address()));
    assertThat(gate.tokens.joining)
        .returns("tenants/acme", CreateJoinTokenRequest::getParent)
        .returns("onprem", CreateJoinTokenRequest::getPool)
        .returns(8, CreateJoinTokenRequest::getUses)
        .returns(86_400L, request -> request.getTimeToLive().getSeconds());
    assertThat(run("join-token", "onprem", "-o", "json").out())
        .contains("\"joinToken\": \"hg_join_secret\"");
  }

  @Test
  void joinTokensAreListedWithoutTheirSecretsAndRevoked() {
    run("join-token", "onprem", "--uses", "8", "--expires", "24h");
    run("join-token", "cloud");

    assertThat(run("join-tokens").out())
        .isEqualTo(
            """
            TOKEN             POOL    LEFT    MADE  EXPIRES
            0000000000000002  cloud   1 of 1  0s    15:00:00
            0000000000000001  onprem  8 of 8  0s    2026-11-22 14:00:00
            """);
    assertThat(run("join-tokens", "revoke", "hg_join_0000000000000001_" + "s".repeat(43)).out())
        .isEqualTo("revoked 0000000000000001\n");
    assertThat(run("join-tokens", "-o", "name").out()).isEqualTo("0000000000000002\n");
  }

  @Test
  void mistakesSayWhatToDo() {
    Golden.check("join-token-too-long", run("join-token", "onprem", "--expires", "25h"));
    Golden.check("join-tokens-unknown", run("join-tokens", "delete"));
    Golden.check("join-tokens-missing", run("join-tokens", "list", "0000000000000009"));
    Golden.check("keys-unknown-user", run("keys", "create", "nobody"));
    Golden.check("keys-unknown-account", run("keys", "create", "nobody", "--service-account"));
    Golden.check("keys-no-owner", run("keys", "create"));
    Golden.check("keys-unknown", run("keys", "delete"));
    Golden.check("keys-missing", run("keys", "list", "0000000000000009"));
  }
}
