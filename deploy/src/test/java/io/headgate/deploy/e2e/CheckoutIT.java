package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.sdk.model.Usage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `deploy/headgate` as a user of a checkout runs it.
class CheckoutIT {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern COMMAND = Pattern.compile("(?m)^on a machine: (.+)$");

  @TempDir private Path directory;

  @Test
  void theCommandThatJoinTokenPrintsMakesANodeJoin() throws Exception {
    try (TestInstallation headgate =
        TestInstallation.start(directory.resolve("data"))
            .withConfiguration("pools: [{name: onprem, type: static}]\n")) {
      Path token = directory.resolve("token");
      Process made =
          shell(headgate, ROOT + "/deploy/headgate join-token onprem > " + token).start();
      String said = text(made);
      assertThat(made.waitFor()).as(said).isZero();
      Matcher command = COMMAND.matcher(said);
      assertThat(command.find()).as(said).isTrue();

      Process agent =
          shell(headgate, "exec " + command.group(1))
              .redirectOutput(directory.resolve("agent.log").toFile())
              .redirectError(directory.resolve("agent.err").toFile())
              .start();
      try {
        await()
            .atMost(TestInstallation.PATIENCE)
            .untilAsserted(() ->
                assertThat(
                        headgate.operator().catalog(TestInstallation.TENANT).nodeUsages().stream()
                            .filter(node -> node.contact() == Usage.Contact.CONNECTED))
                    .as(Files.readString(directory.resolve("agent.err")))
                    .hasSize(1));
      } finally {
        agent.destroy();
        assertThat(agent.waitFor(1, TimeUnit.MINUTES)).isTrue();
      }
    }
  }

  @Test
  void aCopyHasTheHashOfItsOriginAndAChangedOneHasNot() throws Exception {
    Path copy = Files.createDirectory(directory.resolve("copy"));
    Process copied =
        new ProcessBuilder(
                "sh",
                "-c",
                "git ls-files -co --exclude-standard | tar -cf - -T - --ignore-failed-read"
                    + " | tar -xmf - -C "
                    + copy)
            .directory(ROOT.toFile())
            .redirectErrorStream(true)
            .start();
    assertThat(text(copied) + copied.waitFor()).endsWith("0");

    assertThat(hash(copy)).as("all files are newer").isEqualTo(hash(ROOT));
    Files.writeString(
        copy.resolve("sdk/pom.xml"), Files.readString(copy.resolve("sdk/pom.xml")) + "\n");
    assertThat(hash(copy)).isNotEqualTo(hash(ROOT));
  }

  private static String hash(Path root) throws Exception {
    Process process = new ProcessBuilder(root.resolve("deploy/source-hash").toString()).start();
    String hash =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(process.waitFor()).isZero();
    return hash;
  }

  private ProcessBuilder shell(TestInstallation headgate, String script) {
    ProcessBuilder builder = new ProcessBuilder(List.of("sh", "-c", script));
    builder.environment().keySet().removeIf(name -> name.startsWith("HEADGATE_"));
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("HOME", directory.toString());
    builder.environment().put("HEADGATE_SERVER", headgate.installation().uri().toString());
    builder.environment().put("HEADGATE_KEY", headgate.installation().adminKey().reveal());
    builder.environment().put("HEADGATE_TENANT", TestInstallation.TENANT);
    return builder;
  }

  private static String text(Process process) throws IOException {
    return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
