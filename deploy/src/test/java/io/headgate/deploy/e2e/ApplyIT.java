package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.FieldMask;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.PolicyServiceGrpc;
import io.headgate.proto.policy.v1.UpdatePolicyRequest;
import io.headgate.proto.pool.v1.GetDraftRequest;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc;
import io.headgate.sdk.client.ConfigurationClient;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.client.Plan;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationReader;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.ConfigurationState;
import io.headgate.sdk.model.Credentials;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.ServerAddress;
import io.headgate.sdk.wire.Connection;
import io.headgate.sdk.wire.ConnectionListener;
import io.headgate.sdk.wire.Idempotency;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A configuration held by two services is applied as a whole, or the refusal names the applied
/// part.
class ApplyIT {
  private static final String BEFORE =
      """
      groups: [{name: team, users: [ada]}]
      pools: [{name: local, type: static}]
      profiles: [{name: one, gpus: 1, pools: [local]}]
      policies:
        - {name: team, group: team, reservation: 1, limit: 2, queues: [{name: q, profile: one}]}
      """;

  /// Changes supply and rights, which depend on each other here.
  private static final String AFTER =
      """
      groups: [{name: team, users: [ada]}]
      pools: [{name: local, type: static}]
      profiles:
        - {name: one, gpus: 1, pools: [local]}
        - {name: three, gpus: 3, pools: [local]}
      policies:
        - name: team
          group: team
          reservation: 1
          limit: 4
          queues: [{name: q, profile: one}, {name: q3, profile: three}]
      """;

  @TempDir private static Path directory;
  private static TestInstallation headgate;
  private static ConfigurationClient operator;
  private static ClientConfig config;
  private ConfigurationState before;

  @BeforeAll
  static void start() throws Exception {
    headgate = TestInstallation.start(directory);
    operator = headgate.operator().configuration(TestInstallation.TENANT);
    config =
        ClientConfig.of(
            ServerAddress.parse(headgate.installation().uri().toString()),
            new Credentials.Key(
                headgate.operator().createKey("operators/root", "test", null).secret()));
  }

  @AfterAll
  static void stop() {
    headgate.close();
  }

  @BeforeEach
  void beginAgain() throws Exception {
    operator.apply(read(BEFORE));
    before = operator.read();
  }

  private static Configuration read(String yaml) throws Exception {
    String file =
        "apiVersion: headgate/v1\nkind: Configuration\ntenant: %s\n"
            .formatted(TestInstallation.TENANT);
    return ConfigurationReader.read("test.yaml", file + yaml).configuration();
  }

  private static HeadgateException refusal(ConfigurationClient client, Configuration wanted) {
    return catchThrowableOfType(HeadgateException.class, () -> client.apply(wanted));
  }

  @Test
  void checksSupplyAndRightsTogetherAndStoresNothing() throws Exception {
    Plan plan = operator.plan(read(AFTER));

    assertThat(plan.diff().changesResources()).isTrue();
    assertThat(plan.diff().changesAccess()).isTrue();
    assertThat(operator.read()).isEqualTo(before);
    assertThat(draft().getProfilesList()).hasSize(1);
    assertThat(plan.apply()).isEqualTo(operator.read().versions());
    assertThat(operator.plan(read(AFTER)).diff().isEmpty()).isTrue();
  }

  @Test
  void changesNothingWhenRightsRefuseWhatSupplyWouldTake() throws Exception {
    Configuration after = read(AFTER);
    // A limit of 2 and a queue for jobs of 3 GPUs. The client would refuse a file with both before
    // it sends anything.
    Configuration contradictory =
        new Configuration(
            after.tenant(),
            after.groups(),
            after.pools(),
            after.profiles(),
            read(AFTER.replace("limit: 4", "limit: 2").replace("gpus: 3", "gpus: 2")).policies());

    assertThat(refusal(operator, contradictory).reason()).isEqualTo("PROFILE_ABOVE_LIMIT");
    assertThat(operator.read()).isEqualTo(before);
    assertThat(draft().getProfilesList()).hasSize(1);
  }

  @Test
  void changesNothingWhenSomebodyWasFasterWhileTheUserThought() throws Exception {
    Plan plan = operator.plan(read(AFTER));
    operator.apply(read(BEFORE.replace("limit: 2", "limit: 3")));
    ConfigurationState overtaken = operator.read();

    HeadgateException refusal = catchThrowableOfType(HeadgateException.class, plan::apply);
    assertThat(refusal.reason()).isEqualTo("VERSION_CHANGED");
    assertThat(operator.read()).isEqualTo(overtaken);
    assertThat(draft().getProfilesList()).hasSize(1);
  }

  @Test
  void changesNothingWhenSomebodyIsFasterInBetween() throws Exception {
    try (Connection connection =
            Connection.open(config, after("PrepareChange", this::raiseTheLimitInAnotherWay));
        HeadgateClient slow = HeadgateClient.over(connection)) {
      ConfigurationClient client = slow.configuration(TestInstallation.TENANT);
      HeadgateException late = refusal(client, read(AFTER));

      assertThat(late.reason()).isEqualTo("VERSION_CHANGED");
      ConfigurationState now = operator.read();
      assertThat(now.versions().resources()).isEqualTo(before.versions().resources());
      assertThat(now.configuration().profiles()).hasSize(1);

      assertThat(client.apply(read(AFTER))).isEqualTo(operator.read().versions());
      assertThat(operator.plan(read(AFTER)).diff().isEmpty()).isTrue();
    }
  }

  /// A single edit of rights, which waits for no change in progress.
  private void raiseTheLimitInAnotherWay() {
    try (Connection connection = Connection.open(config, ConnectionListener.NONE)) {
      connection.call(
          PolicyServiceGrpc.getUpdatePolicyMethod(),
          UpdatePolicyRequest.newBuilder()
              .setPolicy(
                  Policy.newBuilder()
                      .setName("tenants/" + TestInstallation.TENANT + "/policies/team")
                      .setLimit("3"))
              .setUpdateMask(FieldMask.newBuilder().addPaths("limit"))
              .build(),
          Idempotency.IDEMPOTENT);
    }
  }

  private ResourceConfiguration draft() {
    try (Connection connection = Connection.open(config, ConnectionListener.NONE)) {
      return connection.call(
          ResourceConfigurationServiceGrpc.getGetDraftMethod(),
          GetDraftRequest.newBuilder().setParent("tenants/" + TestInstallation.TENANT).build(),
          Idempotency.IDEMPOTENT);
    }
  }

  /// Runs an action once, just after the first successful call of a method.
  private static ConnectionListener after(String method, Runnable action) {
    return new ConnectionListener() {
      private boolean done;

      @Override
      public void called(String name, String status, long nanos) {
        if (!done && name.endsWith("/" + method) && status.equals("OK")) {
          done = true;
          action.run();
        }
      }
    };
  }
}
