package io.headgate.sdk.config;

import io.headgate.sdk.config.YamlTreeParser.Bounds;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A job as a file, with the keys of {@link JobKeys}. Flags override the file, so every key of the
/// job may be left out.
///
/// @param name beginning of the job's id
/// @param priority -1000 to 1000; null: not set
/// @param abortCommand empty: no callback
/// @param image null: the files of the node
/// @param pull when the image is fetched; null: not set
/// @param after jobs that must end first: `prepare-1`, `prepare-1:any`
/// @param notBefore earliest start; null: not set
public record JobFile(
    @Nullable String queue,
    @Nullable String name,
    List<String> command,
    Map<String, String> environment,
    @Nullable String workingDirectory,
    @Nullable Duration maxRuntime,
    @Nullable Duration suspend,
    List<String> abortCommand,
    @Nullable Duration abortTimeout,
    @Nullable Duration terminationGrace,
    @Nullable Integer priority,
    @Nullable Boolean preemptible,
    boolean movable,
    Map<String, String> labels,
    boolean draft,
    @Nullable String image,
    @Nullable PullPolicy pull,
    List<String> after,
    @Nullable String notBefore) {
  /// A file without keys.
  public static final JobFile EMPTY =
      new JobFile(
          null, null, List.of(), Map.of(), null, null, null, List.of(), null, null, null, null,
          false, Map.of(), false, null, null, List.of(), null);

  static final String KIND = "Job";
  private static final String CALLBACK = "abortCallback";

  public JobFile {
    command = List.copyOf(command);
    environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
    abortCommand = List.copyOf(abortCommand);
    labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
    after = List.copyOf(after);
  }

  /// Reads a file.
  ///
  /// @throws ConfigurationException with every mistake in it
  /// @throws IOException when the file cannot be read
  public static JobFile read(Path file) throws IOException, ConfigurationException {
    return read(ParsedDocument.read(file, Bounds.CONFIGURATION));
  }

  /// Reads text that came from elsewhere.
  ///
  /// @param fileName the text's name in messages
  /// @throws ConfigurationException with every mistake in it
  public static JobFile read(String fileName, String text) throws ConfigurationException {
    return read(ParsedDocument.parse(fileName, text, Bounds.CONFIGURATION));
  }

  private static JobFile read(ParsedDocument document) throws ConfigurationException {
    MappingReader fields = document.fields("a job", KIND, JobKeys.TOP.names());
    ValueReader values = new ValueReader(fields);
    MappingReader callback = fields.nested(CALLBACK, JobKeys.ABORT_CALLBACK.names());
    if (callback != null && callback.value("command") == null) {
      callback.missing("command", "name its program and arguments: command: [python, save.py]");
    }
    JobFile job =
        new JobFile(
            values.idOrNull("queue"),
            values.idOrNull("name"),
            words(fields),
            fields.texts("environment"),
            values.textOrNull(JobKeys.WORKING_DIRECTORY),
            values.durationOrNull("maxRuntime"),
            values.durationOrNull("suspend"),
            callback == null ? List.of() : words(callback),
            callback == null ? null : new ValueReader(callback).durationOrNull("timeout"),
            values.durationOrNull("terminationGrace"),
            fields.value("priority") == null ? null : values.integer(JobKeys.PRIORITY),
            values.flagOrNull("preemptible"),
            values.flag(JobKeys.MOVABLE),
            fields.texts("labels"),
            values.flag(JobKeys.DRAFT),
            values.textOrNull(JobKeys.IMAGE),
            values.keywordOrNull(JobKeys.PULL),
            words(fields, "after"),
            values.textOrNull(JobKeys.NOT_BEFORE));
    document.checkClean();
    return job;
  }

  /// Program and arguments.
  private static List<String> words(MappingReader fields) {
    return words(fields, "command");
  }

  private static List<String> words(MappingReader fields, String key) {
    List<String> words = new ArrayList<>();
    for (MappingReader.Element element : fields.elements(key)) {
      words.add(element.scalar().text());
    }
    return words;
  }
}
