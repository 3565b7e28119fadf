package io.headgate.sdk.config;

import io.headgate.sdk.config.Scenario.Event;
import io.headgate.sdk.config.Scenario.Options;
import io.headgate.sdk.config.Scenario.Running;
import io.headgate.sdk.config.Scenario.Waiting;
import io.headgate.sdk.config.YamlTreeParser.Bounds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads a scenario file and checks all of it before anything is simulated: form, keys, values,
/// names, order of time, and that what runs has room. All mistakes are reported at once.
public final class ScenarioReader {

  private ScenarioReader() {}

  /// Reads a file.
  ///
  /// @throws ConfigurationException with every mistake in it
  /// @throws IOException when the file cannot be read
  public static Scenario read(Path file) throws IOException, ConfigurationException {
    return read(ParsedDocument.read(file, Bounds.SCENARIO));
  }

  /// Reads text that came from somewhere else.
  ///
  /// @param fileName how messages call the text
  /// @throws ConfigurationException with every mistake in it
  public static Scenario read(String fileName, String text) throws ConfigurationException {
    return read(ParsedDocument.parse(fileName, text, Bounds.SCENARIO));
  }

  private static Scenario read(ParsedDocument document) throws ConfigurationException {
    MappingReader root = document.fields("a scenario", Scenario.KIND, ScenarioKeys.TOP.names());
    Optional<ConfigurationTree> found = ConfigurationTree.read(root, document.sourceMap());
    if (found.isEmpty()) {
      document.checkClean();
      throw new IllegalStateException("a scenario without configuration passed the checks");
    }
    ConfigurationTree tree = found.get();
    Configuration configuration = tree.configuration();
    boolean hasGroups = tree.hasGroups();
    ScenarioNodes nodes = new ScenarioNodes(root, configuration);
    ScenarioJobs jobs = new ScenarioJobs(document.problems());
    jobs.configure(configuration, hasGroups);
    List<Running> running = new ScenarioRunning(nodes, jobs).read(root);
    List<Waiting> waiting = waiting(root, jobs);
    List<Event> events = new ScenarioEvents(nodes, jobs, tree).read(root);
    Options options = options(root);
    document.checkClean();
    return new Scenario(configuration, hasGroups, nodes.all(), running, waiting, events, options);
  }

  private static List<Waiting> waiting(MappingReader root, ScenarioJobs jobs) {
    List<Waiting> waiting = new ArrayList<>();
    for (MappingReader fields : root.items("waiting", ScenarioKeys.WAITING.names())) {
      int count = jobs.count(fields);
      waiting.add(
          new Waiting(
              jobs.read(fields, count),
              count,
              new ValueReader(fields).duration(ScenarioKeys.WAITED_SINCE)));
    }
    return waiting;
  }

  private static Options options(MappingReader root) {
    MappingReader fields = root.nested("options", ScenarioKeys.OPTIONS.names());
    if (fields == null) {
      return Options.DEFAULT;
    }
    ValueReader values = new ValueReader(fields);
    return new Options(
        values.duration(ScenarioKeys.STOP_TIME),
        values.duration(ScenarioKeys.PROVISION_TIME),
        values.durationOrNull("until"));
  }
}
