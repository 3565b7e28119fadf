package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.process.ServiceProcess;
import io.headgate.kit.testing.JavaProcess;
import io.headgate.kit.testing.JavaProcess.Ended;
import io.headgate.kit.testing.PostgresFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Order(1) // It takes longest.
class PolicyServiceMainTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void configure() throws IOException {
    file = directory.resolve("policy.yaml");
    Files.writeString(file, yaml(POSTGRES.fresh().asOwner()));
  }

  @Test
  void explainsItself() {
    Ended ended = JavaProcess.run(PolicyServiceMain.class, List.of("--help"), Map.of());
    assertThat(ended.status()).isZero();
    assertThat(ended.said())
        .startsWith("usage: policy-service [CONFIG_FILE] [COMMAND]")
        .contains("--reset-admin-key", "--create-key OWNER", "--replace-signing-keys");
    assertThat(run("--delete-everything").status()).isEqualTo(ServiceProcess.EXIT_USAGE);
    assertThat(run("--create-key").status()).isEqualTo(ServiceProcess.EXIT_USAGE);
  }

  @Test
  void showsTheAdminKeyAtTheFirstStartAndServes() throws Exception {
    try (JavaProcess process = serve()) {
      process.awaitSaid(Pattern.compile("serving on"));
      assertThat(process.stop()).isEqualTo(143);
    }
    String key = Files.readString(keyFile()).strip();
    try (JavaProcess process = serve()) {
      process.awaitSaid(Pattern.compile("serving on"));
      assertThat(process.stop()).isEqualTo(143);
    }
    assertThat(Files.readString(keyFile()).strip()).isEqualTo(key);
  }

  @Test
  void writesTheAdminKeyWhereItsConfigurationSays() throws Exception {
    assertThat(run("--reset-admin-key").status()).isZero();
    String first = Files.readString(keyFile()).strip();
    assertThat(first).startsWith("hg_op_");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keyFile())))
        .isEqualTo("rw-------");
    assertThat(run("--reset-admin-key").status()).isZero();
    assertThat(Files.readString(keyFile()).strip()).startsWith("hg_op_").isNotEqualTo(first);
  }

  @Test
  void doesWhatTheOperatorOfTheMachineAsksFor() {
    Ended made = run("--create-key", "services/scheduler");
    assertThat(made.status()).isZero();
    assertThat(made.said()).contains("key of services/scheduler").containsPattern("hg_svc_\\S+");
    assertThat(run("--replace-signing-keys").said()).contains("all tokens are void");
    Ended nobody = run("--create-key", "the scheduler");
    assertThat(nobody.status()).isEqualTo(ServiceProcess.EXIT_FAILED);
    assertThat(nobody.said()).contains("no principal that can have a key: 'the scheduler'");
  }

  @Test
  void saysInOneSentenceThatTheDatabaseCannotBeReached() throws Exception {
    Files.writeString(
        file,
        yaml(
            DatabaseConfig.of(
                "jdbc:postgresql://127.0.0.1:1/headgate",
                "policy",
                POSTGRES.config().password(),
                "policy")));
    Ended ended = run();
    assertThat(ended.status()).isEqualTo(ServiceProcess.EXIT_FAILED);
    assertThat(ended.said())
        .contains("cannot connect to jdbc:postgresql://127.0.0.1:1/headgate as policy")
        .doesNotContain("\tat ")
        .doesNotContain(POSTGRES.config().password().reveal());
  }

  @Test
  void saysInOneSentenceWhatIsWrongWithItsSecrets() throws Exception {
    assertThat(run("--replace-signing-keys").status()).isZero();
    Path key = directory.resolve("secrets").resolve("key-encryption-key");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
    Ended readable = run();
    assertThat(readable.status()).isEqualTo(ServiceProcess.EXIT_FAILED);
    assertThat(readable.said()).contains(key + " may be read or written by others");
    Files.delete(key);
    Ended lost = run();
    assertThat(lost.status()).isEqualTo(ServiceProcess.EXIT_FAILED);
    assertThat(lost.said()).contains("copy that file", "--replace-encryption-key");
    assertThat(readable.said() + lost.said()).doesNotContain("\tat ");
  }

  private JavaProcess serve() {
    return JavaProcess.start(PolicyServiceMain.class, List.of(file.toString()), Map.of());
  }

  private Ended run(String... command) {
    List<String> words = new ArrayList<>(List.of(file.toString()));
    words.addAll(Arrays.asList(command));
    return JavaProcess.run(PolicyServiceMain.class, words, Map.of());
  }

  private Path keyFile() {
    return directory.resolve("admin").resolve("key");
  }

  private String yaml(DatabaseConfig database) {
    return """
    admin-key-file: %s
    api: {port: 0}
    telemetry: {}
    policy:
      secrets-directory: %s
      pools: {server: "http://127.0.0.1:1"}
      database:
        url: %s
        user: %s
        password: %s
        schema: policy
        connect-timeout: 2s
        allow-unsafe-durability: true
    """
        .formatted(
            keyFile(),
            directory.resolve("secrets"),
            database.url(),
            database.user(),
            database.password().reveal());
  }
}
