package io.headgate.deploy.simulate;

import io.headgate.scheduler.core.explain.Check;
import io.headgate.scheduler.core.explain.Explanation;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.runtime.text.CheckText;
import io.headgate.scheduler.runtime.text.ForecastText;
import io.headgate.scheduler.runtime.text.ReasonText;
import io.headgate.scheduler.simulation.Scenario;
import io.headgate.scheduler.simulation.Simulation;
import io.headgate.scheduler.simulation.SimulationEvent;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.AlignedText;
import io.headgate.sdk.cli.output.Output;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.type.Viewer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Explains a job's state at a time of the simulation: `--explain r-1@20s`.
record ExplainView(Output output) {
  /// A job and a time.
  record Question(String job, Duration at) {
    /// Reads `JOB@TIME`.
    static Question parse(String text) {
      int at = text.lastIndexOf('@');
      if (at < 1) {
        throw new UsageException(
            "\"" + text + "\" is not a job and a time",
            "BAD_FLAG_VALUE",
            "write for example --explain r-1@20s");
      }
      return new Question(
          text.substring(0, at), Invocation.duration("--explain", text.substring(at + 1)));
    }
  }

  List<String> lines(Scenario scenario, Question question) {
    List<String> told = new ArrayList<>();
    Simulation simulation =
        new Simulation(
            scenario,
            event -> {
              if (event instanceof SimulationEvent.OfJob of && of.job().equals(question.job())) {
                told.add(Words.time(event.atMs()) + "  " + TimelineView.what(event));
              }
            });
    simulation.runUntil(question.at());
    Optional<Explanation> known = simulation.explain(question.job());
    if (known.isEmpty() && told.isEmpty()) {
      throw new UsageException(
          "there is no job \"%s\" at %s"
              .formatted(question.job(), Words.time(question.at().toMillis())),
          "JOB_NOT_FOUND",
          "all jobs with their times: headgate simulate FILE --view timeline");
    }
    List<String> lines = new ArrayList<>();
    lines.add(output.bold(verdict(question, known, told)));
    simulation
        .forecast(question.job())
        .map(forecast -> ForecastText.sentence(forecast, time -> Words.time(time.toEpochMilli())))
        .ifPresent(lines::add);
    known.ifPresent(explanation -> checks(simulation, explanation, lines));
    if (!told.isEmpty()) {
      lines.add(output.bold("History"));
      told.forEach(line -> lines.add("  " + line));
    }
    return lines;
  }

  private static String verdict(Question question, Optional<Explanation> known, List<String> told) {
    String at = "at " + Words.time(question.at().toMillis()) + " " + question.job();
    if (known.isEmpty()) {
      String last = told.getLast();
      return at + " is not queued: " + last.substring(last.indexOf(' ')).strip();
    }
    Explanation explanation = known.get();
    return explanation
        .reason()
        .map(reason ->
            "%s waits for %s: %s".formatted(at, reason.code(), ReasonText.sentence(reason)))
        .or(() ->
            explanation
                .attempt()
                .map(attempt ->
                    "%s %s on %s of %s"
                        .formatted(
                            at,
                            attempt.stop().isPresent() ? "is stopping" : "runs",
                            Words.place(attempt.assignment()),
                            attempt.assignment().pool().name())))
        .orElse(at + " waits");
  }

  private void checks(Simulation simulation, Explanation explanation, List<String> lines) {
    explanation
        .position()
        .ifPresent(position ->
            lines.add(
                "position %d of %d in its queue".formatted(position.number(), position.of())));
    section("May it start?", explanation.starts(), lines);
    section("Why does it not preempt?", explanation.preempts(), lines);
    section("May it be preempted?", explanation.exposure(), lines);
    if (!explanation.ahead().isEmpty()) {
      lines.add("ahead of it: " + names(simulation, explanation.ahead()));
    }
  }

  private void section(String heading, List<Check> checks, List<String> lines) {
    if (checks.isEmpty()) {
      return;
    }
    lines.add(output.bold(heading));
    List<List<String>> rows = new ArrayList<>();
    for (Check check : checks) {
      String verdict =
          switch (check.verdict()) {
            case OK -> "ok";
            case NO -> "NO";
            case NOT_APPLICABLE -> "-";
          };
      rows.add(
          List.of(
              "  " + check.rule() + " " + check.title(),
              verdict,
              CheckText.of(check, Viewer.OF_ALL)));
    }
    lines.addAll(AlignedText.lines(rows));
  }

  private static String names(Simulation simulation, List<JobId> jobs) {
    return String.join(", ", jobs.stream().map(simulation::name).toList());
  }
}
