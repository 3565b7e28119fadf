package io.headgate.sdk.config;

import io.headgate.sdk.config.ScenarioFile.DeclaredEvent;
import io.headgate.sdk.config.ScenarioFile.Options;
import io.headgate.sdk.config.ScenarioFile.Running;
import io.headgate.sdk.config.ScenarioFile.Waiting;
import io.headgate.sdk.config.YamlTreeParser.Bounds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads a scenario file and checks all of it before anything is simulated: form, keys, values,
/// names, order of time, and that what runs has room. All mistakes are reported at once.
public final class ScenarioReader {
  /// A larger scenario is refused.
  public static final int MAX_BYTES = Bounds.SCENARIO.characters;

  private ScenarioReader() {}

  /// Reads a file.
  ///
  /// @throws ConfigurationException with every mistake in it
  /// @throws IOException when the file cannot be read
  public static ScenarioFile read(Path file) throws IOException, ConfigurationException {
    return read(ParsedDocument.read(file, Bounds.SCENARIO));
  }

  /// Reads text that came from somewhere else.
  ///
  /// @param fileName how messages call the text
  /// @throws ConfigurationException with every mistake in it
  public static ScenarioFile read(String fileName, String text) throws ConfigurationException {
    return read(ParsedDocument.parse(fileName, text, Bounds.SCENARIO));
  }

  private static ScenarioFile read(ParsedDocument document) throws ConfigurationException {
    MappingReader root = document.fields("a scenario", ScenarioFile.KIND, ScenarioKeys.TOP.names());
    Optional<ConfigurationTree> found = ConfigurationTree.read(root, document.sourceMap());
    if (found.isEmpty()) {
      document.checkClean();
      throw new IllegalStateException("a scenario without configuration passed the checks");
    }
    ConfigurationTree tree = found.get();
    Configuration configuration = tree.configuration();
    boolean hasGroups = tree.hasGroups();
    ScenarioNodesReader nodes = new ScenarioNodesReader(root, configuration);
    ScenarioJobsReader jobs = new ScenarioJobsReader(document.problems());
    jobs.configure(configuration, hasGroups);
    List<Running> running = new ScenarioRunningReader(nodes, jobs).read(root);
    List<Waiting> waiting = waiting(root, jobs);
    List<DeclaredEvent> events = new ScenarioEventsReader(nodes, jobs, tree).read(root);
    Options options = options(root);
    document.checkClean();
    return new ScenarioFile(
        configuration, hasGroups, nodes.all(), running, waiting, events, options);
  }

  private static List<Waiting> waiting(MappingReader root, ScenarioJobsReader jobs) {
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
