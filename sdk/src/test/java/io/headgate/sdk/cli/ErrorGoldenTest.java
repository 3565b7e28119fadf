package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Error frames: what, where, why, what next, and the reason as the last word.
class ErrorGoldenTest {
  private final TestGate gate = TestGate.open();
  @TempDir Path home;
  private String mistakes;

  @BeforeEach
  void fill() throws IOException {
    Fixtures.fill(gate);
    try (var in = getClass().getResourceAsStream("/config/mistakes.yaml")) {
      mistakes = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @AfterEach
  void close() {
    gate.close();
  }

  @Test
  void mistakesOfAFile() {
    Golden.check("error-file-pipe", cli().reading(mistakes).run("plan", "-f", "-"));
    Golden.check(
        "error-file-tty-80", cli().reading(mistakes).onTerminal(80).run("plan", "-f", "-"));
    Golden.check(
        "error-file-tty-120",
        cli().reading(mistakes).onTerminal(120).with("NO_COLOR", "1").run("plan", "-f", "-"));
    Golden.check("error-file-json", cli().reading(mistakes).run("plan", "-f", "-", "-o", "json"));
  }

  /// The frames of the specification, word by word.
  @Test
  void theFramesOfTheSpecification() {
    String acme =
        "\n".repeat(36)
            + """
            apiVersion: headgate/v1
            kind: Configuration
            groups: [{name: ai-dev}]
            policies: [{name: ai-dev, group: ai-dev,
                reservation: 12,
                limit: 10}]
            """;
    assertThat(cli().reading(acme).run("plan", "-f", "-").err())
        .isEqualTo(
            """
            error: reservation is above the limit                                       RESERVATION_ABOVE_LIMIT
              --> standard-input:41:18  policies[ai-dev].reservation
               |
            41 |     reservation: 12,
               |                  ^^ 12 > limit 10 (standard-input:42)
              try: lower the reservation to 10, or raise the limit
            1 error. Nothing was applied.
            """);
    String eleventh =
        "apiVersion: headgate/v1\nkind: Configuration\npools: [{name: p}]\nprofiles:\n"
            + "  - {name: eleventh, gpus: 1/11, pools: [p]}\n";
    assertThat(cli().reading(eleventh).run("plan", "-f", "-").err())
        .isEqualTo(
            """
            error: 1/11 GPU cannot be represented exactly                               INEXACT_QUANTITY
              --> standard-input:5:28  profiles[eleventh].gpus
              why: GPU quantities are multiples of 1/126000; 1/11 lies between 11454/126000 and 11455/126000
              try: 1/10, 1/12 or 0.091
            1 error. Nothing was applied.
            """);
    gate.failNext(
        "SubmitJob",
        TestGate.refusal(
            Status.Code.NOT_FOUND,
            "QUEUE_NOT_FOUND",
            "queue \"ai-dev-hlaf\" does not exist in tenant acme"));
    assertThat(cli().run("submit", "-q", "ai-dev-hlaf", "--", "true").err())
        .isEqualTo(
            """
            error: queue "ai-dev-hlaf" does not exist in tenant acme                    QUEUE_NOT_FOUND
              --queue ai-dev-hlaf
              did you mean ai-dev-half?   your queues: headgate queues
            """);
  }

  /// The client does not retry when the server's pause is longer than its deadline.
  @Test
  void noLeader() {
    noLeaderFor("SubmitJob");
    Golden.check(
        "error-no-leader",
        cli().run("submit", "-q", "ai-dev-half", "--timeout", "20s", "--", "python"));
    noLeaderFor("ListJobs");
    Golden.check("error-no-leader-read", cli().run("jobs", "--timeout", "20s", "-v"));
  }

  private void noLeaderFor(String method) {
    StatusRuntimeException electing =
        TestGate.refusal(
            Status.Code.UNAVAILABLE,
            "NO_LEADER",
            "no leader; the scheduler is electing one (3 s so far)",
            TestGate.retryAfter(21_000));
    gate.failNext(method, electing);
  }

  @Test
  void refusalsOfTheServer() {
    gate.failNext(
        "ListJobs",
        TestGate.refusal(
            Status.Code.PERMISSION_DENIED, "FOREIGN_TENANT", "beta is not your tenant"));
    Golden.check("error-permission", cli().run("jobs", "-t", "beta"));
    Golden.check("error-job-not-found", cli().run("jobs", "nothing-1"));
    Golden.check("error-job-not-found-json", cli().run("jobs", "nothing-1", "-o", "json"));
    Golden.check("error-explain-neither", cli().run("explain", "ai-dev-hlaf"));
    Golden.check("error-pool-not-found", cli().run("pools", "onprem-rtx600"));
    Golden.check("error-key-rejected", cli().with("HEADGATE_KEY", "hgk_bad").run("jobs"));
    gate.failNext(
        "ListJobs", Status.INTERNAL.withDescription("boom\u001b]0;x\u0007").asRuntimeException());
    Golden.check("error-internal", cli().run("jobs"));
  }

  @Test
  void wrongUsage() {
    Golden.check("usage-command", cli().run("jbos"));
    Golden.check("usage-flag", cli().run("jobs", "--hepl"));
    Golden.check("usage-number", cli().run("jobs", "--limit", "many"));
    assertThat(cli().run("submit", "--preemptible", "maybe").err())
        .contains("\"maybe\" is not true or false for --preemptible");
    Golden.check("usage-directory", cli().run("plan", "-f", "src"));
    Golden.check("usage-missing", cli().run("submit", "-q", "ai-dev-half"));
    Golden.check("usage-form", cli().run("jobs", "-o", "jsno"));
    Golden.check("usage-form-json", cli().run("jobs", "--stat", "-o", "json"));
    Golden.check("usage-column", cli().run("jobs", "--sort", "stat"));
    Golden.check("usage-state", cli().run("jobs", "--state", "runing"));
    Golden.check("usage-color", cli().run("jobs", "--color", "allways"));
    Golden.check("usage-server", cli().run("jobs", "--server", "ftp://x"));
    Golden.check("usage-no-server", TestCli.in(home).run("jobs"));
    Golden.check("usage-no-file", cli().run("apply", "-f", "missing.yaml"));
    Golden.check("usage-up", TestCli.in(home).run("up", "--demo"));
    Golden.check("usage-topic", TestCli.in(home).run("help", "exitcodes"));
  }

  @Test
  void aLineOfMegabytesIsShownAroundItsMark() {
    Result result = cli().reading("a: b\n" + "x".repeat(900_000) + ": [\n").run("plan", "-f", "-");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(200));
  }

  @Test
  void refusalsOfTheServerAreShownAtTheirLine() throws IOException {
    com.google.rpc.BadRequest bad =
        com.google.rpc.BadRequest.newBuilder()
            .addFieldViolations(
                com.google.rpc.BadRequest.FieldViolation.newBuilder()
                    .setField("configuration.policies[research].limit")
                    .setDescription("8 is below what runs now"))
            .build();
    gate.failNext(
        "ReplaceAccessConfiguration",
        TestGate.refusal(
            Status.Code.INVALID_ARGUMENT,
            "LIMIT_TOO_LOW",
            "the limit is too low",
            com.google.protobuf.Any.pack(bad)));
    Result export = cli().run("export");
    Path file = home.resolve("acme.yaml");
    Files.writeString(file, export.out().replace("limit: 8", "limit: 7"));

    Result result = cli().run("apply", "-f", file.toString(), "--yes");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err().replace(home.toString(), "HOME"))
        .isEqualTo(
            """
            error: the limit is too low                                                 LIMIT_TOO_LOW
              --> HOME/acme.yaml:50:12  policies[research].limit
               |
            50 |     limit: 7
               |            ^ 8 is below what runs now
            1 error. Nothing was applied.
            """);
  }

  private TestCli cli() {
    return TestCli.at(gate, home);
  }
}
