package io.headgate.deploy.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.FieldMask;
import com.sun.net.httpserver.HttpServer;
import io.grpc.ManagedChannel;
import io.headgate.deploy.InstallationConfig;
import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.client.Channels;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.proto.policy.v1.CreateVaultRequest;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.UpdateVaultRequest;
import io.headgate.proto.policy.v1.Vault;
import io.headgate.proto.policy.v1.VaultServiceGrpc;
import io.headgate.proto.pool.v1.CreatePoolRequest;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.PoolServiceGrpc;
import io.headgate.proto.pool.v1.PrepareChangeRequest;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc;
import io.headgate.proto.scheduler.v1.AbortCallback;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.sdk.model.JobState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Secrets go through a whole installation on every way that stores anything. Afterwards neither
/// the database nor its files nor logs, metrics and traces have them, in whatever form.
class SecretsAtRestIT {
  private static final String TENANT = "tenants/" + TestInstallation.TENANT;
  private static final String CONFIGURATION =
      """
      groups: [{name: team, users: [ada]}]
      pools:
        - {name: local, type: static}
        - name: cloud
          type: elastic
          provider: exec
          settings: {token: CanarySettingInForce}
          instance: {gpus: 1, gpuModel: A100, gpuMemory: 80GiB, cpus: 8, memory: 64GiB}
          maxInstances: 1
      profiles: [{name: one, gpus: 0, pools: [local]}]
      policies:
        - name: team
          group: team
          reservation: 1
          limit: 2
          queues: [{name: team-one, profile: one}]
      vaults:
        - name: team
          groups: [team]
          environment: {TOKEN: %s}
      """;

  /// Secrets, each on a way of its own.
  private static final List<String> CANARIES =
      List.of(
          "CanaryEnvironmentOfAJob",
          "CanaryArgumentOfAJob",
          "CanaryArgumentOfACallback",
          "CanaryEnvironmentOfADraft",
          "CanaryArgumentOfAFailingJob",
          "CanaryVariableOfAVault",
          "CanaryVariableThatReplacesIt",
          "CanaryVariableWithARequestId",
          "CanaryVariableOfAnUpdate",
          "CanarySettingInForce",
          "CanarySettingOfTheDraft",
          "CanarySettingOfAPreparedChange");

  /// Lies open: shows that the search finds what is there.
  private static final String OPEN = "CanaryLabelThatIsNoSecret";

  @TempDir private Path directory;

  /// A receiver of traces, metrics and logs.
  private static final class Receiver implements AutoCloseable {
    private final HttpServer server;
    private final ConcurrentLinkedQueue<String> received = new ConcurrentLinkedQueue<>();

    Receiver() throws IOException {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/",
          exchange -> {
            received.add(
                exchange.getRequestURI()
                    + new String(exchange.getRequestBody().readAllBytes(), ISO_8859_1));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
          });
      server.start();
    }

    URI uri() {
      return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    String received(String kind) {
      return String.join(
          "\n", received.stream().filter(each -> each.startsWith("/v1/" + kind)).toList());
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }

  private InstallationConfig config(URI receiver) {
    TelemetryConfig usual = TelemetryConfig.DEFAULTS;
    InstallationConfig plain = InstallationConfig.of(directory, 0);
    return new InstallationConfig(
        plain.data(),
        plain.host(),
        plain.port(),
        plain.lease(),
        plain.schedulers(),
        plain.shared(),
        plain.settings(),
        new TelemetryConfig(
            Optional.of(receiver),
            usual.metricsHost(),
            usual.metricsPort(),
            usual.metricsAccess(),
            usual.metricsTokenFile(),
            1.0,
            Duration.ofMillis(500),
            TelemetryConfig.LogLevel.DEBUG,
            TelemetryConfig.LogFormat.TEXT),
        plain.keyChange(),
        true);
  }

  @Test
  void noSecretLiesInTheDatabaseOrLeavesWithTelemetry() throws Exception {
    List<String> secrets = new ArrayList<>(CANARIES);
    try (Receiver receiver = new Receiver()) {
      Map<String, String> database;
      try (TestInstallation headgate =
          TestInstallation.start(config(receiver.uri()))
              .withConfiguration(CONFIGURATION.formatted("CanaryVariableOfAVault"))
              .withConfiguration(CONFIGURATION.formatted("CanaryVariableThatReplacesIt"))
              .withNode("a-0", "local", "1xA100-80GiB")) {
        ManagedChannel operator = connect(headgate);
        try {
          vaults(operator);
          supply(operator);
          jobs(operator, headgate);
        } finally {
          Channels.close(operator);
        }
        secrets.add(headgate.operator().createKey(TENANT + "/users/ada", "canary", null).secret());
        secrets.add(Files.readString(directory.resolve("secrets/admin.key")).strip());
        for (String service : List.of("", "pool/", "scheduler/")) {
          secrets.addAll(
              Files.readAllLines(directory.resolve("secrets/" + service + "key-encryption-key")));
        }
        database = dump(headgate.installation().postgresPort());
      }

      assertThat(where(OPEN, database)).contains("scheduler.job.labels");
      assertThat(database).containsKeys("policy.data_key.wrapped", "scheduler.job_spec.document");
      for (String secret : secrets) {
        assertThat(where(secret, database)).as("columns with %s", secret).isEmpty();
      }
      Map<String, String> files = files(directory.resolve("pg"));
      assertThat(where(OPEN, files)).as("files with the open canary").isNotEmpty();
      for (String secret : secrets) {
        assertThat(where(secret, files)).as("files with %s", secret).isEmpty();
      }
      assertThat(receiver.received("logs"))
          .as("exported output: one value of the vault is masked in it")
          .contains("headgate.job.output", OPEN + " *");
      for (String kind : List.of("traces", "metrics", "logs")) {
        String told = receiver.received(kind);
        assertThat(told).as(kind).isNotEmpty();
        for (String secret : secrets) {
          assertThat(where(secret, Map.of(kind, told))).as("%s with %s", kind, secret).isEmpty();
        }
      }
    }
  }

  private ManagedChannel connect(TestInstallation headgate) throws IOException {
    ChannelConfig config = ChannelConfig.of(headgate.installation().uri());
    ManagedChannel anonymous = Channels.open(config, Optional::empty, Telemetry.disabled());
    String key = Files.readString(directory.resolve("secrets/admin.key")).strip();
    String token =
        TokenServiceGrpc.newBlockingStub(anonymous)
            .exchangeKey(ExchangeKeyRequest.newBuilder().setKey(key).build())
            .getToken();
    Channels.close(anonymous);
    return Channels.open(config, () -> Optional.of(token), Telemetry.disabled());
  }

  private static void vaults(ManagedChannel operator) {
    var vaults = VaultServiceGrpc.newBlockingStub(operator);
    Vault made =
        vaults.createVault(
            CreateVaultRequest.newBuilder()
                .setParent(TENANT)
                .setVaultId("other")
                .setRequestId("vault-1")
                .setVault(
                    Vault.newBuilder()
                        .addGroups("team")
                        .putEnvironment("OTHER", "CanaryVariableWithARequestId"))
                .build());
    var _ =
        vaults.updateVault(
            UpdateVaultRequest.newBuilder()
                .setVault(made.toBuilder().putEnvironment("OTHER", "CanaryVariableOfAnUpdate"))
                .setUpdateMask(FieldMask.newBuilder().addPaths("environment"))
                .build());
  }

  /// A draft with an answer that is kept for repetitions, and a change that waits for its decision.
  private static void supply(ManagedChannel operator) {
    var configurations = ResourceConfigurationServiceGrpc.newBlockingStub(operator);
    ResourceConfiguration inForce =
        configurations.getResourceConfiguration(
            GetResourceConfigurationRequest.newBuilder().setParent(TENANT).build());
    Pool cloud =
        inForce.getPoolsList().stream()
            .filter(pool -> pool.getName().endsWith("/cloud"))
            .findFirst()
            .orElseThrow();
    var _ =
        PoolServiceGrpc.newBlockingStub(operator)
            .createPool(
                CreatePoolRequest.newBuilder()
                    .setParent(TENANT)
                    .setPoolId("drafted")
                    .setRequestId("pool-1")
                    .setPool(withSetting(cloud, "CanarySettingOfTheDraft"))
                    .build());
    var _ =
        configurations.prepareChange(
            PrepareChangeRequest.newBuilder()
                .setParent(TENANT)
                .setChangeId("change-1")
                .setBaseVersion(inForce.getVersion())
                .setConfiguration(
                    inForce.toBuilder()
                        .setPools(
                            inForce.getPoolsList().indexOf(cloud),
                            withSetting(cloud, "CanarySettingOfAPreparedChange")))
                .addDiscardDraftsOf("operators/root")
                .build());
  }

  private static Pool withSetting(Pool pool, String value) {
    Pool.Builder changed = pool.toBuilder();
    changed.getElasticityBuilder().putSettings("token", value);
    return changed.build();
  }

  private static void jobs(ManagedChannel operator, TestInstallation headgate) {
    var jobs = JobServiceGrpc.newBlockingStub(operator);
    JobSpec done =
        JobSpec.newBuilder()
            .setQueue("team-one")
            .addAllCommand(List.of("/bin/true", "--password=CanaryArgumentOfAJob"))
            .putEnvironment("PASSWORD", "CanaryEnvironmentOfAJob")
            .putLabels("note", OPEN)
            .setAbortCallback(
                AbortCallback.newBuilder()
                    .addAllCommand(List.of("/bin/echo", "CanaryArgumentOfACallback")))
            .build();
    JobSpec failing =
        JobSpec.newBuilder()
            .setQueue("team-one")
            .addAllCommand(List.of("/bin/no-such-program", "CanaryArgumentOfAFailingJob"))
            .build();
    JobSpec printing =
        JobSpec.newBuilder()
            .setQueue("team-one")
            .addAllCommand(List.of("/bin/sh", "-c", "echo " + OPEN + " $TOKEN"))
            .build();
    JobSpec draft =
        done.toBuilder()
            .setDraft(true)
            .putEnvironment("PASSWORD", "CanaryEnvironmentOfADraft")
            .build();
    Map<String, JobSpec> submitted =
        Map.of("done", done, "failing", failing, "printing", printing, "draft", draft);
    submitted.forEach((id, spec) -> {
      SubmitJobRequest request =
          SubmitJobRequest.newBuilder()
              .setParent(TENANT)
              .setJobId(id)
              .setSpec(spec)
              .setRequestId(id)
              .build();
      // A repetition is answered from the stored answer.
      assertThat(jobs.submitJob(request).getName()).isEqualTo(jobs.submitJob(request).getName());
    });
    headgate.awaitState("done", JobState.DONE);
    headgate.await("failing", "ended", job -> job.state().isFinal());
    headgate.awaitState("printing", JobState.DONE);
    headgate.awaitState("draft", JobState.DRAFT);
  }

  /// All values of all tables, by column.
  private Map<String, String> dump(int port) throws IOException, SQLException {
    Map<String, String> columns = new LinkedHashMap<>();
    String password = Files.readString(directory.resolve("pg/password")).strip();
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + port + "/headgate", "headgate", password);
        Statement statement = connection.createStatement()) {
      List<String> tables = new ArrayList<>();
      try (ResultSet rows =
          statement.executeQuery(
              """
              select schemaname || '.' || quote_ident(tablename) from pg_tables
              where schemaname in ('policy', 'pool', 'scheduler')\
              """)) {
        while (rows.next()) {
          tables.add(rows.getString(1));
        }
      }
      for (String table : tables) {
        try (ResultSet rows = statement.executeQuery("select * from " + table)) {
          read(table, rows, columns);
        }
      }
    }
    return columns;
  }

  private static void read(String table, ResultSet rows, Map<String, String> columns)
      throws SQLException {
    ResultSetMetaData meta = rows.getMetaData();
    while (rows.next()) {
      for (int i = 1; i <= meta.getColumnCount(); i++) {
        String value =
            meta.getColumnTypeName(i).equals("bytea")
                ? Optional.ofNullable(rows.getBytes(i))
                    .map(bytes -> new String(bytes, ISO_8859_1))
                    .orElse("")
                : rows.getString(i);
        columns.merge(table + "." + meta.getColumnName(i), "" + value, (a, b) -> a + "\n" + b);
      }
    }
  }

  private static Map<String, String> files(Path below) throws IOException {
    Map<String, String> files = new LinkedHashMap<>();
    try (Stream<Path> all = Files.walk(below)) {
      all.filter(Files::isRegularFile)
          // The server's own password is outside of its data.
          .filter(file -> !file.equals(below.resolve("password")))
          .forEach(file -> {
            try {
              files.put(file.toString(), new String(Files.readAllBytes(file), ISO_8859_1));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
    return files;
  }

  /// The places that have the secret: as it is, in hexadecimal or in base64.
  private static List<String> where(String secret, Map<String, String> texts) {
    List<String> forms = forms(secret);
    return texts.entrySet().stream()
        .filter(text -> forms.stream().anyMatch(text.getValue()::contains))
        .map(Map.Entry::getKey)
        .toList();
  }

  private static List<String> forms(String secret) {
    byte[] bytes = secret.getBytes(UTF_8);
    List<String> forms = new ArrayList<>(List.of(secret, HexFormat.of().formatHex(bytes)));
    // Base64 of a text depends on how many bytes come before it. Whole groups of three are stable.
    for (int skipped = 0; skipped < 3; skipped++) {
      int whole = (bytes.length - skipped) / 3 * 3;
      forms.add(
          Base64.getEncoder().encodeToString(Arrays.copyOfRange(bytes, skipped, skipped + whole)));
    }
    return forms;
  }
}
