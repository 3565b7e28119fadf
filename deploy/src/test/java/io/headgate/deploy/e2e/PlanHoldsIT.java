package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.client.ConfigurationClient;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.client.Plan;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationReader;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.Credentials;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.PlanEffects;
import io.headgate.sdk.model.ServerAddress;
import io.headgate.sdk.wire.Connection;
import io.headgate.sdk.wire.ConnectionListener;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A plan holds, although two services have the halves of a configuration: the scheduler never
/// decides by the new half of one and the old half of the other.
class PlanHoldsIT {
  private static final String WIDER = "[small, local]";

  @Test
  void aJobThatThePlanLeavesAloneRunsOn(@TempDir Path directory) throws Exception {
    try (TestInstallation headgate =
        TestInstallation.start(directory)
            .withConfiguration(configuration("[small]", 9))
            .withNode("l-0", "local", "3xA100")
            .withNode("s-0", "small", "2xA100")) {
      JobClient alice = headgate.jobsOf("alice");
      JobClient dora = headgate.jobsOf("dora");
      alice.submit(TestInstallation.endless("r-0", "rnd-3"));
      headgate.awaitState("r-0", JobState.RUNNING);
      for (int i = 0; i < 3; i++) {
        dora.submit(TestInstallation.endless("d-" + i, "devops-1"));
        headgate.awaitState("d-" + i, i < 2 ? JobState.RUNNING : JobState.WAITING);
      }

      try (Connection connection = Connection.open(config(headgate), afterEachCall(headgate));
          HeadgateClient client = HeadgateClient.over(connection)) {
        ConfigurationClient configuration = client.configuration(TestInstallation.TENANT);
        Plan plan = configuration.plan(read(configuration(WIDER, 0)));
        PlanEffects effects = plan.effects(10);
        assertThat(effects.preempts().count()).as("the plan leaves r-0 alone").isZero();
        assertThat(effects.starts().count()).isZero();

        assertThat(plan.apply()).isEqualTo(configuration.read().versions());
      }

      Job waiting = headgate.awaitState("d-2", JobState.WAITING);
      assertThat(waiting.reason().code()).isEqualTo("CAPACITY");
      Job kept = headgate.awaitState("r-0", JobState.RUNNING);
      assertThat(kept.attempt()).as("it was not stopped").isEqualTo(1);
    }
  }

  /// Makes the scheduler read the other services' news after each call of the change, as it may at
  /// any time. A list of usage asks them.
  private static ConnectionListener afterEachCall(TestInstallation headgate) {
    return new ConnectionListener() {
      @Override
      public void called(String name, String status, long nanos) {
        headgate.used("devops");
      }
    };
  }

  private static ClientConfig config(TestInstallation headgate) {
    return ClientConfig.of(
        ServerAddress.parse(headgate.installation().uri().toString()),
        new Credentials.Key(
            headgate.operator().createKey("operators/root", "test", null).secret()));
  }

  private static Configuration read(String yaml) throws Exception {
    String head =
        "apiVersion: headgate/v1\nkind: Configuration\ntenant: " + TestInstallation.TENANT + "\n";
    return ConfigurationReader.read("test.yaml", head + yaml).configuration();
  }

  /// R&D runs above its reservation on `local`. DevOps' jobs of one GPU go where the profile says.
  private static String configuration(String poolsOfOne, int reservationOfDevops) {
    return """
    groups:
      - {name: rnd, users: [alice]}
      - {name: devops, users: [dora]}
    pools:
      - {name: local, type: static}
      - {name: small, type: static}
    profiles:
      - {name: three, gpus: 3, pools: [local]}
      - {name: one, gpus: 1, pools: %s}
    policies:
      - name: rnd
        group: rnd
        limit: 9
        queues: [{name: rnd-3, profile: three}]
      - name: devops
        group: devops
        reservation: %d
        limit: 9
        queues: [{name: devops-1, profile: one}]
    """
        .formatted(poolsOfOne, reservationOfDevops);
  }
}
