package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.e2e.LiveCli.Result;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.config.ConfigurationReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `headgate apply` of a new pool, and at once `headgate join-token` for it, while pool-service and
/// policy-service are processes of their own.
@Tag("faults")
class JoinTokenIT {
  private static final Logger LOG = LoggerFactory.getLogger(JoinTokenIT.class);
  private static final int POOLS = 20;

  /// The longest that the command takes by itself, and some time for its start.
  private static final Duration BOUND = Duration.ofSeconds(40);

  @TempDir private Path directory;
  private ServicesApart apart;
  private LiveCli cli;

  @BeforeEach
  void start() throws Exception {
    apart = ServicesApart.start(directory.resolve("data"));
    cli = apart.cli();
  }

  @AfterEach
  void stop() throws Exception {
    if (apart != null) {
      apart.end();
    }
  }

  @Test
  void aPoolTakesMachinesAsSoonAsItIsApplied() throws Exception {
    // The first one right after the start of the services, whose connections are new.
    for (int i = 1; i <= POOLS; i++) {
      apply("pool-" + i);
      assertJoins("pool-" + i);
    }
    apart.pool().destroyForcibly();
    assertJoins("pool-" + POOLS);
    apart.policy().destroyForcibly();
    apply("last");
    assertJoins("last");
  }

  @Test
  void saysWithinItsTimeThatPoolServiceIsAway() throws Exception {
    apply("local");
    List<ProcessHandle> pool = List.of(apart.pool());
    Schedulers.signal("STOP", pool);
    try {
      long begunNanos = System.nanoTime();
      Result result = cli.run("join-token", "local");
      Duration took = Duration.ofNanos(System.nanoTime() - begunNanos);
      LOG.info("after {}: {}", took, result.err());
      assertThat(result.exitCode()).isNotZero();
      assertThat(took).isLessThan(BOUND);
      assertThat(result.err()).contains("the pool service cannot be reached");
    } finally {
      Schedulers.signal("CONT", pool);
    }
    assertJoins("local");
  }

  private void assertJoins(String pool) {
    Result result = cli.run("join-token", pool);
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.lines()).as("join tokens of " + pool).hasSize(1);
  }

  /// By a client that waits for services that have just started.
  private void apply(String pool) throws Exception {
    String file =
        """
        apiVersion: headgate/v1
        kind: Configuration
        tenant: acme
        groups: [{name: team, users: [ada]}]
        pools: [{name: %s, type: static}]
        profiles: [{name: one, gpus: 1, pools: [%s]}]
        policies:
          - {name: team, group: team, limit: 1, queues: [{name: one, profile: one}]}
        """
            .formatted(pool, pool);
    try (HeadgateClient operator = apart.operator()) {
      operator
          .configuration(TestInstallation.TENANT)
          .apply(ConfigurationReader.read("test.yaml", file).configuration());
    }
  }
}
