package io.headgate.deploy.simulate;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.simulation.JsonLines;
import io.headgate.scheduler.simulation.Scenario;
import io.headgate.scheduler.simulation.Simulation;
import io.headgate.scheduler.simulation.WhatIf;
import io.headgate.sdk.cli.error.ErrorFrames;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.FileOrStandardInput;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.EffectsText;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.config.ConfigurationReader;
import io.headgate.sdk.config.ScenarioFile;
import io.headgate.sdk.config.ScenarioReader;
import io.headgate.type.NearestName;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `headgate simulate`.
@Command(
    header = {
      "headgate simulate seed.yaml                 what the scheduler decides, as lines of"
          + " JSON",
      "headgate simulate seed.yaml --view gantt    when and where each job ran",
      "headgate simulate seed.yaml --explain r-1@20s",
      "headgate simulate seed.yaml --compare other.yaml",
      "headgate snapshot > now.yaml; headgate simulate now.yaml --plan acme.yaml",
      "headgate simulate --many scenarios.jsonl    one scenario a line, in one process",
      "headgate simulate --openb NODES.csv PODS.csv     the packing benchmark on a trace",
      "headgate simulate --replay-openb NODES.csv PODS.csv --from-day 110 --gpus 40",
      "headgate simulate --replay-philly JOBS.csv --gpus 420",
      ""
    },
    description =
        "Runs a scenario file on virtual time with the scheduler's own core; no server is needed."
            + " The same file has the same output, byte for byte. deploy/examples has scenarios to"
            + " begin with.")
public final class SimulateCommand implements CliCommand {
  private static final List<String> VIEWS = List.of("summary", "timeline", "gantt");

  @Mixin private final GlobalOptions global = new GlobalOptions();

  @ArgGroup(exclusive = false)
  private PackingOptions packing = new PackingOptions();

  @ArgGroup(exclusive = false)
  private ReplayOptions replay = new ReplayOptions();

  @Mixin private final PlacementOptions placement = new PlacementOptions();

  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      description = "Scenario file; - for standard input.")
  private @Nullable Path file;

  @Option(
      names = "--until",
      paramLabel = "TIME",
      description = "End the simulation at this time, whatever the file says.")
  private @Nullable String until;

  @Option(
      names = "--view",
      paramLabel = "VIEW",
      description =
          "Print a summary, timeline or gantt chart. Default: JSON lines, also on a terminal.")
  private @Nullable String view;

  @Option(
      names = "--explain",
      paramLabel = "JOB@TIME",
      description = "Explain why the job waits, runs or ended at that time.")
  private @Nullable String explain;

  @Option(
      names = "--compare",
      paramLabel = "OTHER",
      description = "Print how another scenario differs.")
  private @Nullable Path compare;

  @Option(
      names = "--plan",
      paramLabel = "CONFIG",
      description =
          "Print which jobs this configuration would start, preempt and keep waiting at 0s.")
  private @Nullable Path plan;

  @Option(
      names = "--expect",
      paramLabel = "LINES",
      description = "Compare the output with this file. At a difference, print it and exit with 1.")
  private @Nullable Path expect;

  @Option(
      names = "--many",
      paramLabel = "FILE",
      description =
          "Run every line of this file: a key, a tab, a scenario as JSON. Each line of output begins"
              + " with the key of its scenario and a tab. A scenario that is refused gives an object"
              + " with \"error\"; the others go on, and the exit code is 1. - for standard input.")
  private @Nullable Path many;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws IOException {
    checkForm();
    if (packing.isAsked() || replay.isAsked()) {
      return trace(invocation);
    }
    if (many != null && file != null) {
      throw new UsageException(
          "--many and the scenario \"%s\" cannot be combined".formatted(file),
          "FLAGS_CONFLICT",
          "run the command once for each");
    }
    Path input = many != null ? many : file;
    if (input == null) {
      throw new UsageException(
          "no scenario and no trace was named",
          "BAD_FLAGS",
          "a scenario: headgate simulate FILE",
          "a trace: headgate simulate --openb NODES.csv PODS.csv --seed 42");
    }
    if (placement.isGiven() || replay.isGiven()) {
      throw new UsageException(
          "flags of traces are given, but no trace",
          "FLAGS_CONFLICT",
          "headgate simulate --openb NODES.csv PODS.csv --seed 42 --policy rfp",
          "headgate simulate --replay-openb NODES.csv PODS.csv --from-day 110 --gpus 40");
    }
    List<String> given = forms();
    if (given.size() > 1) {
      throw new UsageException(
          String.join(" and ", given) + " cannot be combined",
          "FLAGS_CONFLICT",
          "run the command once for each");
    }
    return many != null ? many(invocation, input) : simulate(invocation, input);
  }

  /// The output is equal byte for byte on every machine, so no other form can be chosen.
  private void checkForm() {
    if (global.output == null || (forms().isEmpty() && global.output.equals("jsonl"))) {
      return;
    }
    throw new UsageException(
        "simulate has no output form \"%s\"".formatted(global.output),
        "FLAGS_CONFLICT",
        "without -o it prints one JSON object a line; for people: --view "
            + String.join(", ", VIEWS));
  }

  private int simulate(Invocation invocation, Path path) throws IOException {
    Scenario scenario = scenario(invocation, path);
    if (expect != null) {
      return expected(invocation, scenario, expect);
    }
    if (plan != null) {
      print(invocation, plan(invocation, path, plan));
    } else if (compare != null) {
      print(
          invocation,
          CompareView.lines(
              Recording.of(scenario),
              Recording.of(scenario(invocation, compare)),
              List.of(path.toString(), compare.toString())));
    } else if (explain != null) {
      ExplainView.Question question = ExplainView.Question.parse(explain);
      print(invocation, new ExplainView(invocation.output()).lines(scenario, question));
    } else if (view != null) {
      print(invocation, view(invocation, Recording.of(scenario), view));
    } else {
      simulate(scenario, invocation.output()::line);
    }
    return ExitCode.DONE;
  }

  private int many(Invocation invocation, Path path) throws IOException {
    ManyScenarios scenarios = new ManyScenarios(invocation.output(), end());
    if (path.toString().equals(FileOrStandardInput.STANDARD_INPUT)) {
      return scenarios.run("standard-input", invocation.environment().in());
    }
    try (InputStream in = Files.newInputStream(path)) {
      return scenarios.run(path.toString(), in);
    }
  }

  private int trace(Invocation invocation) throws IOException {
    if (file != null || !forms().isEmpty() || until != null) {
      throw new UsageException(
          "a trace cannot be combined with a scenario or its flags",
          "FLAGS_CONFLICT",
          "headgate simulate --openb NODES.csv PODS.csv --seed 42");
    }
    if (packing.isAsked() && replay.isGiven()) {
      throw new UsageException(
          "--openb and a replay cannot be combined",
          "FLAGS_CONFLICT",
          "run the command once for each");
    }
    invocation.output().line(packing.isAsked() ? packing.run(placement) : replay.run(placement));
    return ExitCode.DONE;
  }

  private List<String> forms() {
    List<String> given = new ArrayList<>();
    if (view != null) {
      given.add("--view");
    }
    if (explain != null) {
      given.add("--explain");
    }
    if (compare != null) {
      given.add("--compare");
    }
    if (plan != null) {
      given.add("--plan");
    }
    if (expect != null) {
      given.add("--expect");
    }
    if (many != null) {
      given.add("--many");
    }
    return given;
  }

  private static List<String> view(Invocation invocation, Recording recording, String view) {
    return switch (view) {
      case "summary" -> new SummaryView(invocation.output()).lines(recording);
      case "timeline" -> TimelineView.lines(recording);
      case "gantt" -> new GanttView(invocation.output()).lines(recording);
      default ->
          throw new UsageException(
              "\"" + view + "\" is not a view",
              "BAD_FLAG_VALUE",
              NearestName.suggestion(view, VIEWS).orElse("views: " + String.join(", ", VIEWS)));
    };
  }

  private List<String> plan(Invocation invocation, Path path, Path changed) throws IOException {
    ScenarioFile scenario = read(invocation, path);
    Configuration configuration;
    try {
      configuration = ConfigurationReader.read(changed).configuration();
    } catch (ConfigurationException e) {
      throw ErrorFrames.of(e, "Nothing was simulated.");
    }
    if (configuration.isPlatform()) {
      throw new UsageException(
          changed + " is a platform file, and a scenario has one tenant's configuration",
          "WRONG_KIND",
          "plan it on the live system: headgate plan " + changed);
    }
    Catalog provisioned = ScenarioMapper.catalog(scenario.configuration().tenant(), configuration);
    WhatIf whatIf =
        new WhatIf(
            provisioned.tenant(),
            new WhatIf.Limits(EffectsText.MOST_JOBS, Integer.MAX_VALUE, () -> false));
    WhatIf.Answer answer = whatIf.compare(ScenarioMapper.map(scenario, end()), provisioned);
    return PlanView.lines(invocation.output(), answer, changed.toString());
  }

  private static void print(Invocation invocation, List<String> lines) {
    lines.forEach(invocation.output()::line);
  }

  private static int expected(Invocation invocation, Scenario scenario, Path lines)
      throws IOException {
    try (BufferedReader reader = Files.newBufferedReader(lines)) {
      Expectation expectation = new Expectation(lines, reader);
      simulate(scenario, expectation::accept);
      int count = expectation.lines();
      expectation.end();
      invocation.output().note("%d lines as expected".formatted(count));
      return ExitCode.DONE;
    }
  }

  private Scenario scenario(Invocation invocation, Path path) throws IOException {
    return ScenarioMapper.map(read(invocation, path), end());
  }

  private @Nullable Duration end() {
    return until == null ? null : Invocation.duration("--until", until);
  }

  private static ScenarioFile read(Invocation invocation, Path path) throws IOException {
    try {
      return new FileOrStandardInput<ScenarioFile>(ScenarioReader::read, ScenarioReader::read)
          .read(invocation, path);
    } catch (ConfigurationException e) {
      throw ErrorFrames.of(e, "Nothing was simulated.");
    }
  }

  /// Prints the events of a simulation, then its summary.
  static void simulate(Scenario scenario, Consumer<String> out) {
    Simulation simulation = new Simulation(scenario, event -> out.accept(JsonLines.line(event)));
    out.accept(JsonLines.line(simulation.run()));
  }
}
