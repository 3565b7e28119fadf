package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.FieldMask;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.headgate.kit.auth.Revocations;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.JavaProcess;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestChannels;
import io.headgate.policy.PolicyServiceMain;
import io.headgate.pool.PoolServiceMain;
import io.headgate.proto.policy.v1.CreateKeyRequest;
import io.headgate.proto.policy.v1.CreateUserRequest;
import io.headgate.proto.policy.v1.DeleteUserRequest;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.RevokeKeyRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.UpdateUserRequest;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import io.headgate.proto.pool.v1.DeletePoolRequest;
import io.headgate.proto.pool.v1.ListPoolsRequest;
import io.headgate.proto.pool.v1.PoolServiceGrpc;
import io.headgate.proto.scheduler.v1.CancelJobRequest;
import io.headgate.proto.scheduler.v1.GetLeadershipRequest;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.UsageServiceGrpc;
import io.headgate.scheduler.SchedulerMain;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// policy-service, pool-service and a scheduler as processes: what one withdraws, the others
/// refuse.
@Order(1) // It waits for a minute.
class RevocationIT {
  private static final Duration PROMISED = Duration.ofSeconds(5);
  private static final Pattern SERVING = Pattern.compile("serving on (\\S+)");
  private static final String ADMIN = "tenants/acme/users/admin";

  @RegisterExtension static final PostgresFixture RIGHTS = PostgresFixture.of("policy");
  @RegisterExtension static final PostgresFixture SUPPLY = PostgresFixture.of("pool");
  @RegisterExtension static final PostgresFixture JOBS = PostgresFixture.of("scheduler");

  @TempDir Path directory;

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  /// One test, because the start of three processes takes longest.
  @Test
  void aRevocationReachesEveryServiceWithinFiveSecondsAndSilenceEndsChangesAfterAMinute()
      throws Exception {
    URI policy = startPolicyService();
    Channel anonymous = channel(policy, TokenSource.anonymous());
    String root = Files.readString(directory.resolve("admin.key")).strip();
    Channel operator = channel(policy, () -> Optional.of(exchange(anonymous, root)));
    URI pool = startPoolService(policy, key(operator, "services/pool"));
    URI scheduler = startScheduler(policy, pool, key(operator, "services/scheduler"));
    assertThat(create(operator, "admin", true)).isEqualTo(ADMIN);

    String key = key(operator, ADMIN);
    String ofRevokedKey = exchange(anonymous, key);
    String ofDemoted = exchange(anonymous, key(operator, ADMIN));
    List<Service> services =
        List.of(new Service("pool-service", pool), new Service("scheduler-service", scheduler));
    for (Service service : services) {
      service.awaitAccepted(ofRevokedKey);
      service.awaitAccepted(ofDemoted);
    }

    TokenServiceGrpc.newBlockingStub(operator)
        .revokeKey(RevokeKeyRequest.newBuilder().setName("keys/" + key.split("_", 4)[2]).build());
    for (Service service : services) {
      service.awaitRevoked(ofRevokedKey);
      assertThat(service.refusal(ofDemoted)).as("the token of another key").isEmpty();
    }

    demoteAdmin(operator);
    for (Service service : services) {
      service.awaitRevoked(ofDemoted);
      assertThat(service.refusal(exchange(anonymous, key(operator, ADMIN))))
          .as("the token that states the present role")
          .isEmpty();
    }

    String ofDeleted = exchange(anonymous, key(operator, create(operator, "deleted", false)));
    for (Service service : services) {
      service.awaitAccepted(ofDeleted);
    }
    delete(operator, "deleted");
    for (Service service : services) {
      service.awaitRevoked(ofDeleted);
    }

    String governor = exchange(anonymous, root);
    String member = exchange(anonymous, key(operator, ADMIN));
    for (Service service : services) {
      assertThat(service.changeRefusal(governor)).as("it is served").endsWith("_NOT_FOUND");
    }
    policyService().process().destroyForcibly().waitFor();
    for (Service service : services) {
      service.awaitSilenceEndsChanges(governor);
      assertThat(service.refusal(governor)).as("reads go on").isEmpty();
    }
    assertThat(services.getLast().changeRefusal(member))
        .as("members go on with their jobs")
        .isEqualTo("JOB_NOT_FOUND");
  }

  private JavaProcess policyService() {
    return open.stream()
        .filter(JavaProcess.class::isInstance)
        .map(JavaProcess.class::cast)
        .findFirst()
        .orElseThrow();
  }

  /// One service, asked for something that members may read.
  private final class Service {
    private final String name;
    private final URI uri;

    Service(String name, URI uri) {
      this.name = name;
      this.uri = uri;
    }

    Optional<Refusal> refusal(String token) {
      Channel caller = channel(uri, () -> Optional.of(token));
      Throwable thrown =
          catchThrowable(() -> {
            if (name.equals("pool-service")) {
              var _ =
                  PoolServiceGrpc.newBlockingStub(caller)
                      .listPools(ListPoolsRequest.newBuilder().setParent("tenants/acme").build());
            } else {
              var _ =
                  UsageServiceGrpc.newBlockingStub(caller)
                      .getLeadership(GetLeadershipRequest.getDefaultInstance());
            }
          });
      return Optional.ofNullable(thrown).flatMap(GrpcFailures::refusal);
    }

    /// Why a change of something that is not there is refused.
    String changeRefusal(String token) {
      Channel caller = channel(uri, () -> Optional.of(token));
      Throwable thrown =
          catchThrowable(() -> {
            if (name.equals("pool-service")) {
              var _ =
                  PoolServiceGrpc.newBlockingStub(caller)
                      .deletePool(
                          DeletePoolRequest.newBuilder()
                              .setName("tenants/acme/pools/absent")
                              .build());
            } else {
              var _ =
                  JobServiceGrpc.newBlockingStub(caller)
                      .cancelJob(
                          CancelJobRequest.newBuilder()
                              .setName("tenants/acme/jobs/absent")
                              .build());
            }
          });
      return GrpcFailures.refusal(thrown).map(Refusal::reason).orElse(String.valueOf(thrown));
    }

    /// A service has at most as much patience as is promised, beside the pauses of a busy machine.
    void awaitSilenceEndsChanges(String token) {
      await(name)
          .atMost(Revocations.LONGEST_SILENCE.plusSeconds(30))
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> changeRefusal(token).equals("REVOCATIONS_UNKNOWN"));
    }

    void awaitAccepted(String token) {
      await(name).atMost(Duration.ofMinutes(1)).until(() -> refusal(token).isEmpty());
    }

    void awaitRevoked(String token) {
      await(name)
          .atMost(PROMISED)
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> refusal(token).filter(no -> no.reason().equals("TOKEN_REVOKED")).isPresent());
    }
  }

  private URI startPolicyService() throws Exception {
    Path file = directory.resolve("policy.yaml");
    Files.writeString(
        file,
        """
        api: {port: 0}
        admin-key-file: '%s'
        policy:
          secrets-directory: '%s'
          default-tenant: acme
          pools: {server: 'http://127.0.0.1:1'}
        """
            .formatted(directory.resolve("admin.key"), directory.resolve("secrets")));
    return serve(
        PolicyServiceMain.class,
        List.of(file.toString()),
        database("HEADGATE_POLICY_", RIGHTS.config(), "policy"));
  }

  private URI startPoolService(URI policy, String key) {
    Map<String, String> settings = database("HEADGATE_POOL_", SUPPLY.config(), "pool");
    settings.put("HEADGATE_API_PORT", "0");
    settings.put("HEADGATE_POOL_SECRETS_DIRECTORY", directory.resolve("secrets-pool").toString());
    settings.put("HEADGATE_POLICY_SERVER", policy.toString());
    settings.put("HEADGATE_SERVICE_KEY", key);
    return serve(PoolServiceMain.class, List.of(), settings);
  }

  private URI startScheduler(URI policy, URI pool, String key) {
    Map<String, String> settings = database("HEADGATE_SCHEDULER_", JOBS.config(), "scheduler");
    settings.put("HEADGATE_API_PORT", "0");
    settings.put(
        "HEADGATE_SCHEDULER_SECRETS_DIRECTORY", directory.resolve("secrets-scheduler").toString());
    settings.put("HEADGATE_SCHEDULER_REPLICA", "one");
    settings.put("HEADGATE_SCHEDULER_ADVERTISED_ADDRESS", "127.0.0.1:1");
    settings.put("HEADGATE_SCHEDULER_POOLS_SERVER", pool.toString());
    settings.put("HEADGATE_SCHEDULER_POLICIES_SERVER", policy.toString());
    settings.put("HEADGATE_SCHEDULER_SERVICE_KEY", key);
    return serve(SchedulerMain.class, List.of(), settings);
  }

  private URI serve(Class<?> main, List<String> arguments, Map<String, String> settings) {
    JavaProcess process = JavaProcess.start(main, arguments, settings);
    open.add(process);
    return URI.create(process.awaitSaid(SERVING).group(1));
  }

  private static Map<String, String> database(
      String prefix, DatabaseConfig database, String schema) {
    Map<String, String> settings = new HashMap<>();
    settings.put(prefix + "DATABASE_URL", database.url());
    settings.put(prefix + "DATABASE_USER", database.user());
    settings.put(prefix + "DATABASE_PASSWORD", database.password().reveal());
    settings.put(prefix + "DATABASE_SCHEMA", schema);
    settings.put(prefix + "DATABASE_ALLOW_UNSAFE_DURABILITY", "true");
    return settings;
  }

  private Channel channel(URI uri, TokenSource tokens) {
    ManagedChannel channel = Channels.open(TestChannels.patient(uri), tokens, Telemetry.disabled());
    open.add(channel::shutdownNow);
    return channel;
  }

  private static String exchange(Channel anonymous, String key) {
    return TokenServiceGrpc.newBlockingStub(anonymous)
        .exchangeKey(ExchangeKeyRequest.newBuilder().setKey(key).build())
        .getToken();
  }

  private static String key(Channel operator, String owner) {
    return TokenServiceGrpc.newBlockingStub(operator)
        .createKey(CreateKeyRequest.newBuilder().setOwner(owner).build())
        .getSecret();
  }

  private static String create(Channel operator, String user, boolean admin) {
    return UserServiceGrpc.newBlockingStub(operator)
        .createUser(
            CreateUserRequest.newBuilder()
                .setParent("tenants/acme")
                .setUserId(user)
                .setUser(User.newBuilder().setAdmin(admin))
                .build())
        .getName();
  }

  private static void delete(Channel operator, String user) {
    var _ =
        UserServiceGrpc.newBlockingStub(operator)
            .deleteUser(
                DeleteUserRequest.newBuilder().setName("tenants/acme/users/" + user).build());
  }

  private static void demoteAdmin(Channel operator) {
    var _ =
        UserServiceGrpc.newBlockingStub(operator)
            .updateUser(
                UpdateUserRequest.newBuilder()
                    .setUser(User.newBuilder().setName(ADMIN).setAdmin(false))
                    .setUpdateMask(FieldMask.newBuilder().addPaths("admin"))
                    .build());
  }
}
