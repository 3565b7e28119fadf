package io.headgate.sdk.cli;

import io.headgate.sdk.gate.TestGate;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The output of commands on terminals of 80 and 120 columns and in pipes, with and without colour.
class OutputGoldenTest {
  private static final TestGate GATE = TestGate.open();

  @TempDir static Path home;

  @BeforeAll
  static void fill() {
    Fixtures.fill(GATE);
    UsageFixtures.fill(GATE.reports);
    TimelineFixtures.fill(GATE.reports);
    GATE.jobs.explanations.put("tenants/acme/jobs/r-1", Fixtures.explanation());
    Fixtures.explanations().forEach(GATE.jobs.explanations::put);
  }

  @AfterAll
  static void close() {
    GATE.close();
  }

  /// A call; `|` stands between its words.
  record Case(String name, int width, List<String> variables, String words) {
    static Case pipe(String name, String words) {
      return new Case(name, 0, List.of(), words);
    }

    static Case terminal(String name, int width, String words, String... variables) {
      return new Case(name, width, List.of(variables), words);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> jobs() {
    return Stream.of(
        Case.terminal("jobs-tty-80", 80, "jobs"),
        Case.terminal("jobs-tty-120", 120, "jobs"),
        Case.terminal("jobs-tty-120-no-color", 120, "jobs", "NO_COLOR", "1"),
        Case.terminal("jobs-tty-80-ascii", 80, "jobs", "HEADGATE_ASCII", "1", "NO_COLOR", "1"),
        Case.pipe("jobs-pipe", "jobs"),
        Case.pipe("jobs-pipe-color", "jobs|--color|always"),
        Case.pipe("jobs-wide", "jobs|-o|wide"),
        Case.pipe("jobs-name", "jobs|-o|name|--all"),
        Case.pipe("jobs-csv", "jobs|-o|csv"),
        Case.pipe("jobs-columns", "jobs|-o|columns=job,state,exit|--sort|job:desc|--no-headers"),
        Case.pipe("jobs-columns-help", "jobs|-o|columns=help"),
        Case.pipe("jobs-filter", "jobs|--filter|state=WAITING queue!=ai-dev-eight"),
        Case.pipe("jobs-limit", "jobs|--limit|2"),
        Case.pipe("jobs-json", "jobs|-o|json|--limit|1"),
        Case.pipe("jobs-jsonl", "jobs|-o|jsonl|--filter|job=hello-1"),
        Case.pipe("jobs-yaml", "jobs|-o|yaml|--limit|1"),
        Case.pipe("jobs-utc", "jobs|--time|utc|--limit|2"),
        Case.terminal("job-detail", 100, "jobs|train-5", "NO_COLOR", "1"),
        Case.terminal("job-running", 100, "-t|acme|jobs|train-4", "NO_COLOR", "1"));
  }

  static Stream<Case> catalog() {
    return Stream.of(
        Case.terminal("pools-tty-120", 120, "pools", "NO_COLOR", "1"),
        Case.terminal("pools-tty-80", 80, "pools", "NO_COLOR", "1"),
        Case.terminal("nodes-tty-80", 80, "nodes", "NO_COLOR", "1"),
        Case.terminal("policies-tty-80", 80, "policies", "NO_COLOR", "1"),
        Case.pipe("nodes-wide", "nodes|-o|wide"),
        Case.pipe("pools-pipe", "pools"),
        Case.pipe("pools-json", "pools|-o|json"),
        Case.pipe("pools-one", "pools|onprem-rtx6000"),
        Case.pipe("profiles-pipe", "profiles"),
        Case.pipe("profiles-one", "profiles|half|-o|json"),
        Case.terminal("policies-tty-120", 120, "policies"),
        Case.pipe("policies-pipe", "policies"),
        Case.terminal("queues-tty-80", 80, "queues", "NO_COLOR", "1"),
        Case.pipe("queues-pipe", "queues|--sort|waiting:desc"),
        Case.pipe("nodes-pipe", "nodes"),
        Case.pipe("nodes-one", "nodes|gpu-03"),
        Case.pipe("events-pipe", "events"),
        Case.pipe("events-jsonl", "events|-o|jsonl"),
        Case.pipe("events-filtered", "events|--since|15s|--policy|ai-dev|--by|infer-2"),
        Case.pipe("events-policy-mistyped", "events|--policy|ai-dve|--since|1s"),
        Case.pipe("top-pipe", "top"),
        Case.terminal("top-tty-120-no-keyboard", 120, "top"));
  }

  static Stream<Case> timeline() {
    return Stream.of(
        Case.terminal("timeline-tty-80", 80, "timeline", "NO_COLOR", "1"),
        Case.terminal("timeline-tty-120-color", 120, "timeline"),
        Case.terminal(
            "timeline-tty-80-ascii", 80, "timeline", "HEADGATE_ASCII", "1", "NO_COLOR", "1"),
        Case.pipe("timeline-pipe", "timeline|--time|utc"),
        Case.pipe("timeline-job", "timeline|--job|infer-2|--since|10m"),
        Case.pipe("timeline-policy", "timeline|--policy|research|-o|text"),
        Case.pipe("timeline-node", "timeline|--node|gpu-03|--pool|onprem-rtx6000"),
        Case.pipe("timeline-json", "timeline|--job|infer-1,r-1|-o|json"),
        Case.pipe("timeline-svg", "timeline|-o|svg|--time|utc"),
        Case.pipe("timeline-nothing", "timeline|--policy|ai-dev|--job|nothing"),
        Case.pipe("timeline-form", "timeline|-o|table"),
        Case.pipe("timeline-mistyped-node", "timeline|--node|gpu-30"),
        Case.pipe("timeline-mistyped-pool", "timeline|--pool|onprem"),
        Case.pipe("timeline-mistyped-policy", "timeline|--policy|resarch"),
        Case.pipe("timeline-no-time", "timeline|--since|yesterday"),
        Case.pipe("timeline-help", "timeline|--help"));
  }

  static Stream<Case> usage() {
    String week = "usage|--since|2026-11-01|--until|2026-11-08";
    // The fixtures are final until the 7th.
    String days = "usage|--since|2026-11-05T12:00:00Z|--until|2026-11-08";
    return Stream.of(
        Case.terminal("usage-tty-80", 80, week, "NO_COLOR", "1"),
        Case.terminal("usage-tty-120", 120, week, "NO_COLOR", "1"),
        Case.pipe("usage-pipe", week),
        Case.pipe("usage-wide", week + "|-o|wide"),
        Case.pipe("usage-csv", week + "|-o|csv"),
        Case.pipe("usage-json", week + "|-o|json"),
        Case.pipe("usage-cost", week + "|--unit|cost|--sort|cost:desc"),
        Case.pipe("usage-mistyped", "usage|--by|polcy"),
        Case.pipe("usage-no-time", "usage|--since|yesterday"),
        Case.pipe("usage-wrong-period", "usage|--since|2026-11-08|--until|2026-11-01"),
        Case.pipe("usage-no-unit", "usage|--unit|eur"),
        Case.pipe("usage-reservations", week + "|--reservations"),
        Case.pipe("usage-check", week + "|--check"),
        Case.pipe("usage-export-csv", days + "|--export|csv"),
        Case.pipe("usage-export-jsonl", days + "|--export|jsonl"),
        Case.pipe("usage-export-openmetrics", days + "|--export|openmetrics"),
        Case.pipe("usage-export-hours", "usage|--since|1d|--export|csv|--per|hour"),
        Case.pipe("usage-export-no-form", days + "|--export|xml"),
        Case.pipe("usage-export-too-long", "usage|--since|90d|--export|csv|--per|hour"),
        Case.pipe("usage-per-alone", days + "|--per|hour"));
  }

  static Stream<Case> budgets() {
    return Stream.of(
        Case.terminal("budgets-tty-80", 80, "budgets"),
        Case.terminal("budgets-tty-120", 120, "budgets", "NO_COLOR", "1"),
        Case.pipe("budgets-pipe", "budgets"),
        Case.pipe("budgets-wide", "budgets|-o|wide"),
        Case.pipe("budgets-utc", "budgets|--time|utc|--filter|state=warned"),
        Case.pipe("budgets-csv", "budgets|-o|csv"),
        Case.pipe("budgets-json", "budgets|-o|json|--limit|1"),
        Case.pipe("budgets-name", "budgets|-o|name|--sort|part:desc"),
        Case.pipe("budgets-one", "budgets|policy/ai-dev"),
        Case.pipe("budgets-mistyped", "budgets|policy/ai-dve"),
        Case.pipe("help-budgets", "help|budgets"));
  }

  static Stream<Case> others() {
    return Stream.of(
        Case.terminal("explain-tty", 100, "explain|r-1"),
        Case.pipe("explain-pipe", "explain|r-1"),
        Case.pipe("explain-running", "explain|train-4"),
        Case.pipe("explain-failed", "explain|hello-1"),
        Case.pipe("explain-queue", "explain|ai-dev-eight"),
        Case.pipe("explain-policy", "explain|ai-dev"),
        Case.pipe("explain-queue-idle", "explain|research-half"),
        Case.pipe("explain-queue-json", "explain|research-half|-o|json"),
        Case.pipe("help-reasons", "help|reasons"),
        Case.pipe("help-rules", "help|rules"),
        Case.pipe("help-configuration", "help|configuration"),
        Case.pipe("help-job", "help|job"),
        Case.pipe("help-scenario", "help|scenario"),
        Case.pipe("whoami", "whoami"),
        Case.pipe("whoami-json", "whoami|-o|json"),
        Case.terminal("start", 80, "--color|never"),
        Case.pipe("export", "export"),
        Case.pipe("help", "help"),
        Case.pipe("help-flag", "--help"),
        Case.pipe("help-exit-codes", "help|exit-codes"),
        Case.pipe("help-command", "help|cancel"));
  }

  @ParameterizedTest
  @MethodSource({"jobs", "catalog", "usage", "budgets", "timeline", "others"})
  void printsTheReviewedOutput(Case call) {
    TestCli cli = TestCli.at(GATE, home);
    for (int i = 0; i < call.variables().size(); i += 2) {
      cli.with(call.variables().get(i), call.variables().get(i + 1));
    }
    if (call.width() > 0) {
      cli.onTerminal(call.width());
    }

    Golden.check(call.name(), cli.run(call.words().split("\\|")));
  }
}
