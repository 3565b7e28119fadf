package io.headgate.sdk.config;

import io.headgate.sdk.config.ScenarioFile.Action;
import io.headgate.sdk.config.ScenarioFile.DeclaredEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads the `events` section. Each event is checked against the state at its time.
final class ScenarioEventsReader {
  private static final List<String> ACTIONS =
      ScenarioKeys.ACTIONS.stream().map(FileKey::name).toList();

  private final ScenarioNodesReader nodes;
  private final ScenarioJobsReader jobs;
  private final ConfigurationTree configuration;

  ScenarioEventsReader(
      ScenarioNodesReader nodes, ScenarioJobsReader jobs, ConfigurationTree configuration) {
    this.nodes = nodes;
    this.jobs = jobs;
    this.configuration = configuration;
  }

  List<DeclaredEvent> read(MappingReader root) {
    List<DeclaredEvent> events = new ArrayList<>();
    Duration last = Duration.ZERO;
    int lastLine = 0;
    for (MappingReader fields : root.items("events", ScenarioKeys.EVENTS.names())) {
      Duration at = at(fields, last, lastLine);
      action(fields).ifPresent(action -> events.add(new DeclaredEvent(at, action)));
      last = at;
      lastLine = fields.span().line();
    }
    return events;
  }

  private static Duration at(MappingReader fields, Duration last, int lastLine) {
    ValueReader values = new ValueReader(fields);
    if (fields.value("at") == null) {
      fields.missing("at", "say when it happens: at: 10s");
      return last;
    }
    Duration at = values.duration("at", last);
    YamlTree.Scalar scalar = fields.scalar("at");
    if (at.compareTo(last) < 0 && scalar != null) {
      fields
          .problems()
          .add(
              Problem.of(
                      "OUT_OF_ORDER",
                      "events are out of time order",
                      scalar.span(),
                      fields.path("at"))
                  .value(scalar.text())
                  .note(
                      "%s is before %s in line %d"
                          .formatted(scalar.text(), DurationText.format(last), lastLine))
                  .next("move the event up to its time"));
      return last;
    }
    return at;
  }

  private Optional<Action> action(MappingReader fields) {
    List<String> given = ACTIONS.stream().filter(fields::has).toList();
    if (given.isEmpty() && fields.hasUnknownKeys()) {
      return Optional.empty();
    }
    if (given.size() != 1) {
      fields
          .problems()
          .add(
              Problem.of(
                      given.isEmpty() ? "MISSING_KEY" : "KEY_NOT_ALLOWED",
                      fields.path() + (given.isEmpty() ? " does nothing" : " does several things"),
                      fields.span(),
                      fields.path())
                  .note(given.isEmpty() ? "has no action" : "has " + EnglishText.all(given))
                  .next(
                      given.isEmpty()
                          ? "add " + EnglishText.either(ACTIONS)
                          : "make them events of their own at the same time"));
      return Optional.empty();
    }
    return switch (given.getFirst()) {
      case "submit" -> submit(fields);
      case "cancel" -> cancel(fields);
      case "nodeDown" -> node(fields, "nodeDown").map(Action.NodeDown::new);
      case "nodeUp" -> node(fields, "nodeUp").map(Action.NodeUp::new);
      default -> configure(fields, given.getFirst());
    };
  }

  private Optional<Action> submit(MappingReader fields) {
    MappingReader submit = fields.nested("submit", ScenarioKeys.SUBMIT.names());
    if (submit == null) {
      fields.missing("submit", "write for example submit: {queue: NAME, job: NAME}");
      return Optional.empty();
    }
    int count = jobs.count(submit);
    return Optional.of(new Action.Submit(jobs.read(submit, count), count));
  }

  private Optional<Action> cancel(MappingReader fields) {
    String name = new ValueReader(fields).name("cancel", "name the job");
    YamlTree.Scalar scalar = fields.scalar("cancel");
    if (scalar == null || name.equals(ValueReader.UNREADABLE)) {
      return Optional.empty();
    }
    jobs.check(scalar, fields.path("cancel"));
    return Optional.of(new Action.Cancel(name));
  }

  private Optional<String> node(MappingReader fields, String key) {
    String name = new ValueReader(fields).name(key, "name the node");
    YamlTree.Scalar scalar = fields.scalar(key);
    if (scalar == null || name.equals(ValueReader.UNREADABLE)) {
      return Optional.empty();
    }
    nodes.check(scalar, fields.path(key), fields.problems());
    return Optional.of(name);
  }

  private Optional<Action> configure(MappingReader fields, String key) {
    YamlTree change = fields.value(key);
    if (change == null) {
      fields.missing(key, "say what it changes");
      return Optional.empty();
    }
    if (key.equals("set")) {
      configuration.set(change, fields.path(key));
    } else {
      MappingReader provision = fields.nested(key, ConfigurationTree.provisioned());
      if (provision != null) {
        configuration.provision(change, fields.path(key), provision);
      }
    }
    jobs.configure(configuration.configuration(), configuration.hasGroups());
    return Optional.of(new Action.Configure(configuration.configuration()));
  }
}
