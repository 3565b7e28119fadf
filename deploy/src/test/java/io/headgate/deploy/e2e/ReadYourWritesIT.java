package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Submission;
import io.headgate.sdk.model.Usage;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An applied configuration can be used by the next call, through all real services.
class ReadYourWritesIT {
  private static final int ROUNDS = 10;

  private static String configuration(int queues) {
    StringBuilder text =
        new StringBuilder(
            """
            groups:
              - {name: rnd, users: [alice]}
            pools:
              - {name: onprem, type: static}
            profiles:
              - {name: one, gpus: 1, pools: [onprem]}
            """);
    text.append("policies:\n");
    for (int i = 0; i < queues; i++) {
      text.append("  - name: p").append(i).append("\n    group: rnd\n    limit: 1\n");
      text.append("    queues: [{name: q").append(i).append(", profile: one, rank: 1}]\n");
    }
    return text.toString();
  }

  @TempDir private static Path directory;
  private static TestInstallation headgate;

  @BeforeAll
  static void start() throws Exception {
    headgate = TestInstallation.start(directory);
  }

  @AfterAll
  static void stop() {
    headgate.close();
  }

  @Test
  void whatWasAppliedIsThereForTheNextCall() throws Exception {
    for (int i = 1; i <= ROUNDS; i++) {
      String newest = "q" + (i - 1);
      headgate.withConfiguration(configuration(i));
      Job job = headgate.jobs().submit(TestInstallation.endless("j" + i, newest));
      assertThat(job.id()).isEqualTo("j" + i);
      assertThat(headgate.operator().catalog(TestInstallation.TENANT).queueUsages())
          .extracting(Usage.OfQueue::id)
          .contains(newest);
    }
  }

  @Test
  void aVaultHoldsForWhatStartsFromThenOn() throws Exception {
    String open =
        """
        groups:
          - {name: rnd, users: [alice]}
        pools:
          - {name: onprem, type: static}
        profiles:
          - {name: none, gpus: 0, pools: [onprem]}
        policies:
          - name: p
            group: rnd
            limit: 1
            queues: [{name: none, profile: none}]
        """;
    String vault =
        """
        vaults:
          - {name: rnd, groups: [rnd], commands: ["sh *"], environment: {PROXY: "here: 3128"}}
        """;
    headgate.withConfiguration(open);
    headgate.jobs().submit(running("before", "env"));
    headgate.withConfiguration(open + vault).withNode("a-0", "onprem", "1xA100");
    headgate.jobs().submit(running("asks", "sh", "-c", "test \"$PROXY\" = \"here: 3128\""));
    headgate.awaitState("asks", JobState.DONE);
    Job before = headgate.awaitState("before", JobState.DRAFT);
    assertThat(before.reason().code()).isEqualTo("COMMAND_NOT_ALLOWED");
    assertThatThrownBy(() -> headgate.jobs().submit(running("after", "env")))
        .isInstanceOfSatisfying(
            HeadgateException.class, e -> assertThat(e.reason()).isEqualTo("COMMAND_NOT_ALLOWED"));
  }

  private static Submission running(String id, String... command) {
    return new Submission(JobSpec.of("none", List.of(command)), id, null);
  }

  @Test
  void aKeyThatAnAdminMadeOpensUntilItIsRevoked() throws Exception {
    headgate.withConfiguration(configuration(1));
    LiveCli admin = LiveCli.of(headgate);

    String secret = admin.run("keys", "create", "alice").out().strip();

    assertThat(whoHas(secret)).isEqualTo("tenants/acme/users/alice");
    assertThat(admin.run("keys").out()).contains("alice").doesNotContain(secret);
    assertThat(admin.run("keys", "revoke", secret).exitCode()).isZero();
    assertThatThrownBy(() -> whoHas(secret))
        .isInstanceOfSatisfying(
            HeadgateException.class, e -> assertThat(e.reason()).isEqualTo("KEY_REJECTED"));
    assertThat(admin.run("keys", "create", "alcie").err())
        .contains("USER_NOT_FOUND", "for a service account: --service-account");
  }

  private static String whoHas(String key) {
    try (HeadgateClient client = headgate.installation().connect(key)) {
      return client.whoAmI().subject();
    }
  }
}
