package io.headgate.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.config.ConfigurationReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// pool-service and policy-service, each a process of its own, die and stand still under a stream
/// of jobs. The scheduler goes on with the supply and the rights that it knows.
@Tag("faults")
class ServicesApartIT {
  private static final Logger LOG = LoggerFactory.getLogger(ServicesApartIT.class);
  private static final int LIMIT = 3;
  private static final Duration A_WHILE = Duration.ofSeconds(7);

  /// From a fault to the beginning of a job that was submitted after it struck.
  private static final Duration PROMISE = Duration.ofSeconds(10);

  private static final String CONFIGURATION =
      """
      apiVersion: headgate/v1
      kind: Configuration
      tenant: acme
      groups: [{name: team, users: [ada]}]
      pools: [{name: local, type: static}]
      profiles: [{name: one, gpus: 1, pools: [local]}]
      policies:
        - name: team
          group: team
          reservation: 3
          limit: %d
          queues: [{name: one, profile: one}]
      """;

  /// A fault of one or both services.
  private enum ServiceFault {
    /// pool-service dies at once, and is started again.
    KILL_POOL_SERVICE,
    /// policy-service dies at once, and is started again.
    KILL_POLICY_SERVICE,
    /// Both die together.
    KILL_BOTH,
    /// pool-service stands still for a while.
    PAUSE_POOL_SERVICE,
    /// policy-service stands still for a while.
    PAUSE_POLICY_SERVICE
  }

  @TempDir private Path directory;
  private final long seed = Long.getLong("headgate.seed", System.nanoTime());
  private ServicesApart apart;
  private HeadgateClient operator;
  private AgentProcesses agents;
  private JobStream stream;
  private Pace pace;

  @BeforeEach
  void start() throws Exception {
    apart = ServicesApart.start(directory.resolve("data"));
    operator = apart.operator();
    apply(LIMIT);
    agents =
        new AgentProcesses(
            apart.uri(),
            List.of(apart.schedulerUri()),
            Files.createDirectories(directory.resolve("agents")),
            List.of(directory.resolve("runs")),
            _ -> Map.of());
    agents.add(operator, "a-0", "local", "2xA100");
    agents.add(operator, "a-1", "local", "2xA100");
    JobClient jobs = operator.jobs(TestInstallation.TENANT);
    stream = new JobStream(jobs, "one", directory.resolve("runs")).start();
    pace = Pace.of(stream);
  }

  @AfterEach
  void stop() throws Exception {
    if (stream != null) {
      stream.end();
    }
    if (agents != null) {
      agents.end();
    }
    if (operator != null) {
      operator.close();
    }
    if (apart != null) {
      apart.end();
    }
  }

  @Test
  void jobsGoOnWhileAServiceIsAwayAndChangesTakeEffectAfterwards() throws Exception {
    LOG.info("-Dheadgate.seed={} plays this again", seed);
    List<ServiceFault> faults = new ArrayList<>(List.of(ServiceFault.values()));
    Collections.shuffle(faults, new Random(seed));
    for (ServiceFault fault : faults) {
      suffer(fault);
    }
    stream.check();
    DatabaseCheck.check(directory.resolve("data"), apart.postgresPort(), LIMIT + faults.size());
    ProcessLogs.checkErrors(apart.logs());
    ProcessLogs.checkErrors(directory.resolve("agents"));
    pace.demandShown();
  }

  private void suffer(ServiceFault fault) throws Exception {
    pace.measure();
    long struckMs = System.currentTimeMillis();
    List<ProcessHandle> struck =
        switch (fault) {
          case KILL_POOL_SERVICE, PAUSE_POOL_SERVICE -> List.of(apart.pool());
          case KILL_POLICY_SERVICE, PAUSE_POLICY_SERVICE -> List.of(apart.policy());
          case KILL_BOTH -> List.of(apart.pool(), apart.policy());
        };
    boolean pause =
        fault == ServiceFault.PAUSE_POOL_SERVICE || fault == ServiceFault.PAUSE_POLICY_SERVICE;
    if (pause) {
      Schedulers.signal("STOP", struck);
    } else {
      struck.forEach(ProcessHandle::destroyForcibly);
    }
    String id = fault.name().toLowerCase(Locale.ROOT).replace('_', '-');
    long beganMs = stream.runOne(id);
    LOG.info("{}: a job submitted then began {} ms after it", fault, beganMs - struckMs);
    if (pause) {
      boolean never = new CountDownLatch(1).await(A_WHILE.toMillis(), TimeUnit.MILLISECONDS);
      assert !never;
      Schedulers.signal("CONT", struck);
    }
    pace.check(fault, PROMISE, beganMs - struckMs);
    int limit = LIMIT + 1 + fault.ordinal();
    apply(limit);
    await("a change after " + fault + " is in force")
        .atMost(Schedulers.PATIENCE)
        .until(() -> limitInForce().equals(Integer.toString(limit)));
  }

  private String limitInForce() {
    return operator.catalog(TestInstallation.TENANT).policyUsages().getFirst().limit().toString();
  }

  private void apply(int limit) throws Exception {
    operator
        .configuration(TestInstallation.TENANT)
        .apply(
            ConfigurationReader.read("test.yaml", CONFIGURATION.formatted(limit)).configuration());
  }
}
