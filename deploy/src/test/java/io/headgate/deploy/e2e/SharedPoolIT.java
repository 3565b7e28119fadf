package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.e2e.LiveCli.Result;
import io.headgate.deploy.node.NodePlan;
import io.headgate.proto.policy.v1.CreateUserRequest;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import io.headgate.proto.scheduler.v1.ListPoolUsagesRequest;
import io.headgate.proto.scheduler.v1.PoolUsage;
import io.headgate.proto.scheduler.v1.UsageServiceGrpc;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.config.ConfigurationReader;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.Credentials;
import io.headgate.sdk.model.Event;
import io.headgate.sdk.model.EventFilter;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.ServerAddress;
import io.headgate.sdk.wire.Connection;
import io.headgate.sdk.wire.ConnectionListener;
import io.headgate.sdk.wire.Idempotency;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two tenants share a pool of the platform (A3): one borrows what the other leaves idle, and gives
/// it back on demand. Only platform operators say what each has.
class SharedPoolIT {
  private static final String OTHER = "globex";
  private static final String PLATFORM =
      """
      apiVersion: headgate/v1
      kind: Platform
      pools:
        - {name: h100, type: static}
      tenants:
        - {name: acme, pools: [h100], reservation: 2, limit: 4}
        - {name: globex, pools: [h100], reservation: 2, limit: 4}
      """;

  @Test
  void oneTenantBorrowsWhatTheOtherLeavesIdleAndGivesItBack(@TempDir Path directory)
      throws Exception {
    try (TestInstallation headgate = TestInstallation.start(directory.resolve("data"))) {
      headgate.installation().ensureTenant(OTHER);
      LiveCli cli = LiveCli.of(headgate);
      Path file = Files.writeString(directory.resolve("platform.yaml"), PLATFORM);

      Result applied = cli.run("apply", "-f", file.toString(), "--yes");
      assertThat(applied.exitCode()).as(applied.err()).isZero();
      headgate.installation().addNode("platform", new NodePlan("shared-0", "h100", "4xH100"));
      assertThat(headgate.installation().awaitAgents(TestInstallation.PATIENCE)).isEqualTo(1);
      for (String tenant : List.of(TestInstallation.TENANT, OTHER)) {
        use(headgate, tenant, "platform/h100");
      }

      appliedTwiceItChangesNothing(cli, file, directory);
      aTenantAdminIsRefused(headgate, cli, file);
      mistakesAreShownAtTheirPlaces(cli, directory);

      JobClient acme = headgate.operator().jobs(TestInstallation.TENANT);
      JobClient globex = headgate.operator().jobs(OTHER);
      for (int i = 0; i < 4; i++) {
        acme.submit(TestInstallation.endless("a-" + i, "one"));
        await(acme, "a-" + i, JobState.RUNNING);
      }
      assertUse(headgate, TestInstallation.TENANT, "4", "0", "0");
      assertUse(headgate, OTHER, "0", "0", "4");

      for (int i = 0; i < 3; i++) {
        globex.submit(TestInstallation.endless("g-" + i, "one"));
      }
      await(globex, "g-0", JobState.RUNNING);
      await(globex, "g-1", JobState.RUNNING);
      await(acme, "a-3", JobState.WAITING);
      await(acme, "a-2", JobState.WAITING);
      await(globex, "g-2", JobState.WAITING);
      assertUse(headgate, TestInstallation.TENANT, "2", "0", "2");
      Job victim = acme.get("a-3");
      assertThat(victim.toString())
          .as("the other tenant's names stay unknown")
          .doesNotContain("g-");
      assertThat(events(acme, "a-3"))
          .noneMatch(text -> text.contains("g-") || text.contains(OTHER));

      acme.cancel("a-2");
      globex.cancel("g-2");
      globex.cancel("g-1");
      await(acme, "a-3", JobState.RUNNING);
    }
  }

  private static void use(TestInstallation headgate, String tenant, String pool) throws Exception {
    String yaml =
        """
        apiVersion: headgate/v1
        kind: Configuration
        tenant: %s
        groups: [{name: team, users: [ada]}]
        profiles: [{name: one, gpus: 1, pools: [%s]}]
        policies:
          - {name: team, group: team, reservation: 2, limit: 4, queues: [{name: one, profile: one}]}
        """
            .formatted(tenant, pool);
    headgate
        .operator()
        .configuration(tenant)
        .apply(ConfigurationReader.read(tenant + ".yaml", yaml).configuration());
  }

  private static void appliedTwiceItChangesNothing(LiveCli cli, Path file, Path directory)
      throws Exception {
    assertThat(cli.run("plan", file.toString(), "--exit-code").exitCode()).isZero();
    String before = cli.run("export", "-t", "platform").out();
    assertThat(before).contains("kind: Platform", "name: acme", "reservation: 2");
    Result again = cli.run("apply", "-f", file.toString(), "--yes");
    assertThat(again.exitCode()).as(again.err()).isZero();
    Path exported = Files.writeString(directory.resolve("exported.yaml"), before);
    assertThat(cli.run("plan", exported.toString(), "--exit-code").exitCode()).isZero();
    assertThat(cli.run("export", "-t", "platform").out()).isEqualTo(before);
  }

  private static void aTenantAdminIsRefused(TestInstallation headgate, LiveCli cli, Path file)
      throws Exception {
    try (Connection operator = connect(headgate, cli.key())) {
      operator.call(
          UserServiceGrpc.getCreateUserMethod(),
          CreateUserRequest.newBuilder()
              .setParent("tenants/" + TestInstallation.TENANT)
              .setUserId("root")
              .setUser(User.newBuilder().setAdmin(true))
              .build(),
          Idempotency.IDEMPOTENT);
    }
    String key =
        headgate
            .operator()
            .createKey("tenants/" + TestInstallation.TENANT + "/users/root", "test", null)
            .secret();
    LiveCli admin = LiveCli.of(cli.server(), key);
    for (String command : List.of("plan", "apply")) {
      Result refused =
          command.equals("plan")
              ? admin.run("plan", file.toString())
              : admin.run("apply", "-f", file.toString(), "--yes");
      assertThat(refused.exitCode()).isNotZero();
      assertThat(refused.err()).contains("only platform operators apply a file of kind Platform");
    }
    assertThat(admin.run("export", "-t", "platform").exitCode()).isNotZero();
  }

  private static void mistakesAreShownAtTheirPlaces(LiveCli cli, Path directory) throws Exception {
    Path unknown =
        Files.writeString(directory.resolve("unknown.yaml"), PLATFORM.replace("globex", "globx"));
    assertThat(cli.run("plan", unknown.toString()).err()).contains("unknown.yaml:7", "globx");
    Path over =
        Files.writeString(
            directory.resolve("over.yaml"), PLATFORM.replace("reservation: 2", "reservation: 3"));
    assertThat(cli.run("plan", over.toString()).out())
        .contains("the tenants reserve 6 GPUs of pool 'h100', which offers 4");
  }

  private static void assertUse(
      TestInstallation headgate, String tenant, String used, String idle, String taken)
      throws Exception {
    try (Connection operator = connect(headgate, headgate.installation().adminKey().reveal())) {
      List<PoolUsage> usages =
          operator
              .call(
                  UsageServiceGrpc.getListPoolUsagesMethod(),
                  ListPoolUsagesRequest.newBuilder().setParent("tenants/" + tenant).build(),
                  Idempotency.IDEMPOTENT)
              .getUsagesList();
      assertThat(usages).hasSize(1);
      PoolUsage usage = usages.getFirst();
      assertThat(List.of(usage.getPool(), usage.getUsed(), usage.getIdle(), usage.getTaken()))
          .as("pool, used, idle, taken as %s sees them", tenant)
          .containsExactly("platform/h100", used, idle, taken);
    }
  }

  private static Connection connect(TestInstallation headgate, String key) {
    return Connection.open(
        ClientConfig.of(
            ServerAddress.parse(headgate.installation().uri().toString()),
            new Credentials.Key(key)),
        ConnectionListener.NONE);
  }

  private static List<String> events(JobClient jobs, String id) {
    return jobs.events(EventFilter.ALL.withJob(id), 100, "").items().stream()
        .map(Event::toString)
        .toList();
  }

  private static void await(JobClient jobs, String id, JobState state) {
    Optional<Job> found = jobs.await(id, job -> job.state() == state, TestInstallation.PATIENCE);
    assertThat(found).as(() -> id + " is to become " + state + ": " + jobs.get(id)).isPresent();
  }
}
