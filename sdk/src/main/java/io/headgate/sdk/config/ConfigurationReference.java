package io.headgate.sdk.config;

import java.util.List;
import java.util.SequencedMap;

/// The reference of all keys of configuration, scenario and job files, from the tables that the
/// readers use.
public final class ConfigurationReference {
  private ConfigurationReference() {}

  /// One key.
  ///
  /// @param defaultText the default, `required`, or empty for none
  /// @param bound the accepted values; empty when the type says it all
  public record Row(String key, String type, String defaultText, String bound, String meaning) {}

  /// The keys of one mapping of a file.
  ///
  /// @param path where the mapping stands, such as `pools[].instance`; empty: the top
  public record Section(String path, String meaning, List<Row> rows) {
    public Section {
      rows = List.copyOf(rows);
    }
  }

  /// The sections of a configuration file.
  public static List<Section> configuration() {
    return ConfigurationKeys.ALL.stream().map(ConfigurationReference::section).toList();
  }

  /// The sections of a platform file that are not those of a configuration file.
  public static List<Section> platform() {
    return PlatformKeys.ALL.stream().map(ConfigurationReference::section).toList();
  }

  /// The sections of a scenario file that a configuration file lacks.
  public static List<Section> scenario() {
    return ScenarioKeys.ALL.stream().map(ConfigurationReference::section).toList();
  }

  /// The sections of a job file.
  public static List<Section> job() {
    return JobKeys.ALL.stream().map(ConfigurationReference::section).toList();
  }

  /// How values of each type are written, by type.
  public static SequencedMap<String, String> types() {
    return FileKey.TYPES;
  }

  private static Section section(FileKey.Section section) {
    return new Section(
        section.path(),
        section.meaning(),
        section.keys().stream()
            .map(key ->
                new Row(key.name(), key.type(), key.defaultText(), key.bound(), key.meaning()))
            .toList());
  }
}
