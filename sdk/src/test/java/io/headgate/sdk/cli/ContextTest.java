package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContextTest {
  private final TestGate gate = TestGate.open();
  @TempDir Path home;

  @AfterEach
  void close() {
    gate.close();
  }

  @Test
  void loginStoresAKeyThatWorks() throws IOException {
    Result login = login();

    assertThat(login.exitCode()).isZero();
    assertThat(login.out())
        .isEqualTo("signed in to " + gate.address() + " as tenants/acme/users/ada\n");
    assertThat(login.out() + login.err()).doesNotContain(TestGate.KEY);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
    assertThat(TestCli.in(home).run("whoami", "-o", "name").out())
        .isEqualTo("tenants/acme/users/ada\n");
    try (Stream<Path> left = Files.list(file().getParent())) {
      assertThat(left).as("no temporary files").containsExactly(file());
    }
  }

  @Test
  void loginStoresNoKeyThatIsRejected() {
    Result result =
        TestCli.in(home)
            .reading("hgk_wrong\n")
            .run("login", "--server", gate.address().toString(), "--key-stdin");

    assertThat(result.exitCode()).isEqualTo(4);
    assertThat(file()).doesNotExist();
  }

  @Test
  void loginDoesNotAskWithoutATerminal() {
    Result result = TestCli.in(home).run("login", "--server", gate.address().toString());

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("INPUT_NEEDED").contains("--key-stdin");
  }

  @Test
  void logoutForgetsTheKey() {
    login();

    assertThat(TestCli.in(home).run("logout").exitCode()).isZero();
    Result after = TestCli.in(home).run("whoami");
    assertThat(after.exitCode()).isEqualTo(4);
    assertThat(after.err()).startsWith("error: you are not signed in to " + gate.address());
  }

  @Test
  void aLoginSaysWhichServerIsAway() {
    Result result =
        TestCli.in(home)
            .with("HEADGATE_KEY", TestGate.KEY)
            .run("login", "--server", "http://127.0.0.1:1", "--timeout", "1ms");

    assertThat(result.exitCode()).isEqualTo(5);
    assertThat(result.err()).contains("  server http://127.0.0.1:1\n");
  }

  @Test
  void aRejectedKeySaysWhereItCameFrom() throws IOException {
    login();
    Files.writeString(file(), Files.readString(file()).replace(TestGate.KEY, "hgk_old"));

    assertThat(TestCli.in(home).run("whoami").err())
        .contains(
            "  key from context \"local\"\n",
            "  sign in with another key: headgate login --server " + gate.address() + "\n");
    assertThat(TestCli.in(home).with("HEADGATE_KEY", "hgk_bad").run("whoami").err())
        .contains("  key from HEADGATE_KEY\n", "  set HEADGATE_KEY to a valid key; or unset it");
  }

  /// Sending a key to any named server would let that server steal it.
  @Test
  void aKeyIsSentToItsOwnServerAlone() {
    login();
    try (TestGate other = TestGate.open()) {
      assertThat(TestCli.in(home).run("whoami", "--server", other.address().toString()).exitCode())
          .isEqualTo(4);
      assertThat(other.count("ExchangeKey")).isZero();
      assertThat(
              TestCli.in(home)
                  .run("context", "set", "local", "--server", other.address().toString())
                  .exitCode())
          .isZero();
      TestCli.in(home).run("whoami");
      assertThat(other.count("ExchangeKey")).isZero();
    }
  }

  @Test
  void contextsAreListedUsedAndSet() {
    login();
    TestCli.in(home)
        .run("context", "set", "staging", "--server", "http://127.0.0.1:1", "-t", "beta");

    assertThat(TestCli.in(home).run("context").out().replaceAll("127.0.0.1:[0-9]+ *", "HOST  "))
        .isEqualTo(
            """
               CONTEXT  SERVER                  TENANT  KEY
            *  local    http://HOST  acme    stored
               staging  http://HOST  beta    none
            """);
    assertThat(TestCli.in(home).run("context", "use", "stagin").err())
        .contains("did you mean staging?");
    assertThat(TestCli.in(home).run("context", "use", "staging").exitCode()).isZero();
    assertThat(TestCli.in(home).run("context", "-o", "json").out())
        .contains("\"current\":\"staging\"")
        .doesNotContain(TestGate.KEY);
    assertThat(TestCli.in(home).run("whoami", "--context", "local").exitCode()).isZero();
  }

  @Test
  void aDamagedContextFileIsSaidSo() throws IOException {
    Files.createDirectories(file().getParent());
    Files.writeString(file(), "contexts: [");

    Result result = TestCli.in(home).run("jobs");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err())
        .contains("CONTEXT_FILE_UNREADABLE")
        .contains("config.yaml is not valid YAML in line 1: ")
        .contains("correct or remove");
  }

  @Test
  void versionAndCompletionNeedNoServer() {
    assertThat(TestCli.in(home).run("version").out()).startsWith("headgate 0.");
    assertThat(TestCli.in(home).run("--version").out()).startsWith("headgate 0.");
    assertThat(TestCli.in(home).run("version", "-o", "yaml").out()).startsWith("version: 0.");
    for (String shell : List.of("bash", "zsh")) {
      Result script = TestCli.in(home).run("completion", shell);
      assertThat(script.exitCode()).isZero();
      assertThat(script.out()).contains("complete -o default -F _headgate headgate", "submit)");
    }
  }

  @Test
  void everyCommandsHelpBeginsWithTwoExamples() {
    for (String name : io.headgate.sdk.cli.command.CommandRegistry.names()) {
      Result help = TestCli.in(home).run(name, "--help");

      assertThat(help.exitCode()).as(name).isZero();
      List<String> lines = help.out().lines().toList();
      int usage =
          lines.indexOf(lines.stream().filter(l -> l.startsWith("Usage:")).findFirst().get());
      assertThat(lines.subList(0, usage).stream().filter(line -> line.contains("headgate")).count())
          .as(name)
          .isGreaterThanOrEqualTo(2);
    }
  }

  private Result login() {
    return TestCli.in(home)
        .reading(TestGate.KEY + "\n")
        .run("login", "--server", gate.address().toString(), "--key-stdin", "--name", "local");
  }

  private Path file() {
    return home.resolve(".config/headgate/config.yaml");
  }
}
