package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.Installation;
import io.headgate.deploy.InstallationConfig;
import io.headgate.deploy.Progress;
import io.headgate.deploy.TemporaryUser;
import io.headgate.deploy.node.NodePlan;
import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.config.ConfigurationReader;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Submission;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/// A whole installation on a directory, as a test sees it: real services, agents and processes.
final class TestInstallation implements AutoCloseable {
  static final String TENANT = "acme";
  static final Duration PATIENCE = Duration.ofMinutes(3);

  private final Installation installation;
  private final Map<String, String> told;
  private final HeadgateClient operator;
  private final List<TemporaryUser> visitors = new ArrayList<>();

  private TestInstallation(Installation installation, Map<String, String> told) {
    this.installation = installation;
    this.told = told;
    this.operator = installation.connectAsOperator();
  }

  static TestInstallation start(Path directory) throws Exception {
    return start(InstallationConfig.of(directory, 0));
  }

  static TestInstallation start(InstallationConfig config) throws Exception {
    Lifecycle lifecycle = new Lifecycle(Installation.stopBound());
    Map<String, String> told = new ConcurrentHashMap<>();
    Progress progress =
        new Progress() {
          @Override
          public void begin(String part) {}

          @Override
          public void ready(String part, String detail) {
            told.put(part, detail);
          }
        };
    try {
      Installation installation = Installation.start(config, lifecycle, progress);
      installation.ensureTenant(TENANT);
      installation.startKnownNodes();
      return new TestInstallation(installation, told);
    } catch (Exception | Error e) {
      lifecycle.close();
      throw e;
    }
  }

  TestInstallation withConfiguration(String yaml) throws Exception {
    String file = "apiVersion: headgate/v1\nkind: Configuration\ntenant: " + TENANT + "\n" + yaml;
    operator
        .configuration(TENANT)
        .apply(ConfigurationReader.read("test.yaml", file).configuration());
    return this;
  }

  /// With one more node, which is connected: of several, the first is there before the others.
  TestInstallation withNode(String id, String pool, String gpus) throws Exception {
    installation.addNode(TENANT, new NodePlan(id, pool, gpus));
    assertThat(installation.awaitAgents(PATIENCE))
        .as("agents that are connected")
        .isEqualTo(installation.agents().size());
    return this;
  }

  /// The detail that the installation reported when a part was ready.
  String told(String part) {
    return told.getOrDefault(part, "");
  }

  Installation installation() {
    return installation;
  }

  HeadgateClient operator() {
    return operator;
  }

  JobClient jobs() {
    return operator.jobs(TENANT);
  }

  /// Jobs as a user of the tenant sees them.
  JobClient jobsOf(String user) {
    TemporaryUser visitor = TemporaryUser.enter(installation, operator, TENANT, user);
    visitors.add(visitor);
    return visitor.client().jobs(TENANT);
  }

  /// A job that runs until it is stopped.
  static Submission endless(String id, String queue) {
    return new Submission(JobSpec.of(queue, List.of("sleep", "3600")), id, null);
  }

  Job awaitState(String id, JobState state) {
    return await(id, state, job -> job.state() == state);
  }

  Job await(String id, Object wanted, Predicate<Job> condition) {
    Optional<Job> found = jobs().await(id, condition, PATIENCE);
    assertThat(found)
        .as(() -> id + " is to become " + wanted + "; it is " + jobs().get(id))
        .isPresent();
    return found.orElseThrow();
  }

  /// GPUs that a policy uses, in lowest terms.
  String used(String policy) {
    return operator.catalog(TENANT).policyUsages().stream()
        .filter(usage -> usage.id().equals(policy))
        .findFirst()
        .orElseThrow()
        .used()
        .toString();
  }

  @Override
  public void close() {
    visitors.forEach(TemporaryUser::close);
    operator.close();
    installation.close();
  }
}
