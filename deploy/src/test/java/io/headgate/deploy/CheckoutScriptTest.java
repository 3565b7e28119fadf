package io.headgate.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `deploy/headgate` in a small checkout, with a Maven that only says that it was called and a JDK
/// that only shows its arguments.
class CheckoutScriptTest {
  @TempDir Path directory;
  private Path checkout;
  private Path calls;

  @BeforeEach
  void makeCheckout() throws IOException {
    checkout = directory.resolve("checkout");
    calls = directory.resolve("calls");
    Files.createDirectories(checkout.resolve("deploy"));
    for (String name : List.of("headgate", "headgate-agent", "source-hash")) {
      Files.copy(Path.of(name), checkout.resolve("deploy").resolve(name));
      Files.setPosixFilePermissions(
          checkout.resolve("deploy").resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Files.writeString(checkout.resolve("pom.xml"), "<project/>");
    for (String module :
        List.of(
            "proto",
            "service-kit",
            "pool-service",
            "policy-service",
            "scheduler-service",
            "node-agent",
            "sdk",
            "deploy")) {
      Files.createDirectories(checkout.resolve(module).resolve("src/main"));
      Files.writeString(checkout.resolve(module).resolve("src/main/Code.java"), module);
    }
    program(
        "bin/mvn",
        "echo mvn >> "
            + calls
            + "; mkdir -p deploy/target; touch deploy/target/headgate.built deploy/target/cli.aot");
    program("jdk/bin/javac", "");
    program("jdk/bin/java", "echo \"$@\"");
    Files.writeString(directory.resolve("jdk/release"), "JAVA_VERSION=\"25.0.1\"\n");
  }

  @Test
  void theFirstCallBuildsAndTheNextDoesNot() throws Exception {
    run("headgate", "--help");
    run("headgate", "--help");

    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void aCopyWithNewTimesDoesNotBuild() throws Exception {
    run("headgate", "--help");
    touch(Instant.now().plusSeconds(3600));

    run("headgate", "--help");

    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void aChangedSourceIsBuilt() throws Exception {
    run("headgate", "--help");
    Files.writeString(checkout.resolve("sdk/src/main/Code.java"), "changed");
    touch(Instant.now().plusSeconds(3600));

    run("headgate", "--help");

    assertThat(builds()).isEqualTo(2);
  }

  @Test
  void anAgentRunsFromTheCheckout() throws Exception {
    run("headgate", "--help");

    String byWord = run("headgate", "agent", "--data", "/x y", "--settings");

    assertThat(byWord).contains("io.headgate.agent.AgentMain --data /x y --settings");
    assertThat(run("headgate-agent", "--data", "/x y", "--settings")).isEqualTo(byWord);
  }

  private void touch(Instant time) throws IOException {
    for (String module : List.of("sdk", "proto")) {
      Files.setLastModifiedTime(
          checkout.resolve(module).resolve("src/main/Code.java"), FileTime.from(time));
    }
  }

  private long builds() throws IOException {
    return Files.exists(calls) ? Files.readAllLines(calls).size() : 0;
  }

  private void program(String name, String script) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/bash\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private String run(String name, String... words) throws Exception {
    List<String> command =
        new ArrayList<>(List.of(checkout.resolve("deploy").resolve(name).toString()));
    command.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", directory.resolve("jdk").toString());
    builder.environment().merge("PATH", "", (path, _) -> directory.resolve("bin") + ":" + path);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }
}
