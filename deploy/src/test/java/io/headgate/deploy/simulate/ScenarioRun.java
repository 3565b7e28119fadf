package io.headgate.deploy.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.PipedCli;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The output of `headgate simulate` for a scenario, as facts about its jobs. Times are in seconds.
final class ScenarioRun {
  private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":\"?([^\",}]*)");
  private static final Pattern GPUS = Pattern.compile("\"gpus\":\"(\\d+)(?:/(\\d+))?\"");
  private static final Pattern NODE = Pattern.compile("\"node\":\"([^\"]*)\"");

  private final List<Event> events = new ArrayList<>();
  private final List<Use> uses = new ArrayList<>();
  private final double untilSeconds;
  private final String scenario;

  /// One line of the output.
  ///
  /// @param line its text
  record Event(double at, String kind, String job, String line) {
    String field(String name) {
      return ScenarioRun.field(line, name);
    }
  }

  /// GPUs that one attempt of a job had, from one time to another.
  private record Use(String queue, double from, double to, double gpus) {}

  private ScenarioRun(String scenario) {
    this.scenario = scenario;
    PipedCli.Result result = SimulateCli.scenario(scenario);
    assertThat(result.err()).isEmpty();
    List<String> lines = result.lines();
    this.untilSeconds = seconds(field(lines.getLast(), "until"));
    for (String line : lines.subList(0, lines.size() - 1)) {
      events.add(
          new Event(seconds(field(line, "at")), field(line, "event"), field(line, "job"), line));
    }
    findUses();
  }

  /// Runs a file of the scenarios.
  static ScenarioRun of(String file) {
    return new ScenarioRun(text(file));
  }

  /// Runs a file with parts of its text replaced.
  ///
  /// @param changes a text that the file has, then its replacement, and so on
  static ScenarioRun patched(String file, String... changes) {
    String text = text(file);
    for (int i = 0; i < changes.length; i += 2) {
      assertThat(text).contains(changes[i]);
      text = text.replace(changes[i], changes[i + 1]);
    }
    return new ScenarioRun(text);
  }

  static String text(String file) {
    try (InputStream in = ScenarioRun.class.getResourceAsStream("/scenarios/" + file)) {
      if (in == null) {
        throw new IllegalArgumentException("no scenario " + file);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void findUses() {
    Map<String, Event> running = new HashMap<>();
    for (Event event : events) {
      if (event.kind().equals("start")) {
        running.put(event.job(), event);
      } else if (event.kind().equals("finish") || event.kind().equals("stop")) {
        Event start = running.remove(event.job());
        if (start != null) {
          uses.add(use(start, event.at()));
        }
      }
    }
    running.values().forEach(start -> uses.add(use(start, untilSeconds)));
  }

  private static Use use(Event start, double to) {
    double gpus = 0;
    for (MatchResult part : GPUS.matcher(start.line()).results().toList()) {
      double whole = part.group(2) == null ? 1 : Double.parseDouble(part.group(2));
      gpus += Double.parseDouble(part.group(1)) / whole;
    }
    return new Use(start.field("queue"), start.at(), to, gpus);
  }

  private static String field(String line, String name) {
    Matcher matcher = FIELD.matcher(line);
    while (matcher.find()) {
      if (matcher.group(1).equals(name)) {
        return matcher.group(2);
      }
    }
    return "";
  }

  private static double seconds(String text) {
    return Double.parseDouble(text.substring(0, text.length() - 1));
  }

  List<Event> of(String kind, String job) {
    return events.stream()
        .filter(event -> event.kind().equals(kind) && event.job().equals(job))
        .toList();
  }

  List<Event> all(String kind) {
    return events.stream().filter(event -> event.kind().equals(kind)).toList();
  }

  /// The times at which the job started.
  List<Double> starts(String job) {
    return of("start", job).stream().map(Event::at).toList();
  }

  /// The first start of the job.
  double start(String job) {
    assertThat(starts(job)).as("starts of %s", job).isNotEmpty();
    return starts(job).getFirst();
  }

  /// The jobs that were preempted, in order.
  List<String> preempted() {
    return all("preempt").stream().map(Event::job).toList();
  }

  /// The node where the job ran first, or runs at 0s.
  String node(String job) {
    List<Event> starts = of("start", job);
    String line =
        starts.isEmpty()
            ? scenario.substring(scenario.indexOf("\"job\": \"" + job + "\"")).replace(": ", ":")
            : starts.getFirst().line();
    Matcher node = NODE.matcher(line);
    assertThat(node.find()).as("node of %s", job).isTrue();
    return node.group(1);
  }

  /// The part of all used GPU time that the queue had between two times.
  double share(String queue, double from, double to) {
    double all = gpuSeconds(use -> true, from, to);
    return gpuSeconds(use -> use.queue().equals(queue), from, to) / all;
  }

  /// The GPUs that the queue had on average between two times.
  double gpus(String queue, double from, double to) {
    return gpuSeconds(use -> use.queue().equals(queue), from, to) / (to - from);
  }

  private double gpuSeconds(Predicate<Use> which, double from, double to) {
    return uses.stream()
        .filter(which)
        .mapToDouble(
            use -> use.gpus() * Math.max(0, Math.min(to, use.to()) - Math.max(from, use.from())))
        .sum();
  }

  /// The output, without its summary.
  List<String> lines() {
    return events.stream().map(Event::line).toList();
  }

  double until() {
    return untilSeconds;
  }
}
