package io.headgate.kit.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/// Reads a process's configuration, a tree of records, from one YAML file and environment
/// variables. A component `maxConnections` of the record at `database` is the key
/// `database.max-connections` of the file. The variable `HEADGATE_DATABASE_MAX_CONNECTIONS`
/// overrides the key. A {@link Secret} may also come from the file that `HEADGATE_..._FILE` names.
/// An absent component takes its {@link Default}, or its value in the record's `DEFAULTS`;
/// Optional, List and Map may be absent.
///
/// Components are strings, numbers, booleans, enums, Duration (`90s`), {@link ByteSize} (`16GiB`),
/// Path, URI, {@link Secret}, records, and Optional, List and Map<String, ...> of these. Unknown
/// keys, duplicate keys and bad values are refused. One {@link ConfigException} reports all of them
/// with file, line and key. Every component has a {@link Setting}, from which {@link
/// SettingsReference} makes the reference.
public final class ConfigLoader {
  private static final int MAX_ALIASES = 50;
  private static final int MAX_CODE_POINTS = 1 << 20;

  private ConfigLoader() {}

  /// The configuration of `type` from `file` and `environment`.
  ///
  /// @param file absent: only environment and defaults apply
  public static <T extends Record> T load(
      Class<T> type, Optional<Path> file, Map<String, String> environment) {
    if (file.isEmpty()) {
      return parse(type, "defaults", "", environment);
    }
    Path path = file.get();
    try {
      return parse(type, path.toString(), Files.readString(path), environment);
    } catch (NoSuchFileException e) {
      throw refused(path.toString(), "", "there is no such file");
    } catch (IOException e) {
      throw refused(path.toString(), "", "cannot be read: " + e.getMessage());
    }
  }

  /// The configuration of `type` from the text of a YAML file called `name`.
  public static <T extends Record> T parse(
      Class<T> type, String name, String yaml, Map<String, String> environment) {
    MappingNode root = root(name, yaml);
    List<ConfigProblem> problems = new ArrayList<>();
    RecordReader reader = new RecordReader(name, environment, problems);
    Object value = reader.read(type, root);
    if (!problems.isEmpty() || value == null) {
      throw new ConfigException(problems);
    }
    return type.cast(value);
  }

  private static @Nullable MappingNode root(String name, String yaml) {
    LoadSettings settings =
        LoadSettings.builder()
            .setLabel(name)
            .setMaxAliasesForCollections(MAX_ALIASES)
            .setCodePointLimit(MAX_CODE_POINTS)
            .build();
    Node node;
    try {
      node = new Compose(settings).composeString(yaml).orElse(null);
    } catch (MarkedYamlEngineException e) {
      String where =
          e.getProblemMark()
              .map(mark -> name + ":" + (mark.getLine() + 1) + ":" + (mark.getColumn() + 1))
              .orElse(name);
      throw refused(where, "", "is not YAML: " + e.getProblem());
    } catch (YamlEngineException e) {
      throw refused(name, "", "is not YAML: " + e.getMessage());
    }
    return switch (node) {
      case null -> null;
      case MappingNode mapping -> mapping;
      case ScalarNode scalar when scalar.getValue().isEmpty() -> null;
      default ->
          throw refused(
              name, "", "the file must hold keys and values, not a list or a single value");
    };
  }

  private static ConfigException refused(String where, String key, String message) {
    return new ConfigException(List.of(new ConfigProblem(where, key, message)));
  }
}
