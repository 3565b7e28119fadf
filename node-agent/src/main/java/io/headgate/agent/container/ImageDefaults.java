package io.headgate.agent.container;

import io.headgate.agent.core.Container.PullPolicy;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The working directory and environment that an image sets for its job.
///
/// @param directory that its programs run in
/// @param environment entries `NAME=value`
record ImageDefaults(String directory, List<String> environment) {
  /// Has podman and docker say it: values, each ended by NUL, which none contains.
  static final String TEMPLATE =
      "{{.Config.WorkingDir}}{{\"\\x00\"}}{{range .Config.Env}}{{.}}{{\"\\x00\"}}{{end}}";

  ImageDefaults {
    environment = List.copyOf(environment);
  }

  static ImageDefaults read(String answer) {
    String[] words = answer.split("\0", -1);
    return new ImageDefaults(words[0], List.of(words).subList(1, words.length - 1));
  }

  /// The surroundings of an image whose files are there.
  ImageStore.Image at(Path root) {
    SortedMap<String, String> values = new TreeMap<>();
    for (String entry : environment) {
      int equals = entry.indexOf('=');
      if (equals > 0) {
        values.put(entry.substring(0, equals), entry.substring(equals + 1));
      }
    }
    // Some engines say "/" of an image that says nothing.
    return new ImageStore.Image(
        root, Optional.of(directory).filter(path -> path.matches("/.+")), values);
  }

  /// The value of `--pull`, the same for podman and docker.
  static String pullOption(PullPolicy pull) {
    return switch (pull) {
      case ALWAYS -> "always";
      case IF_NOT_PRESENT -> "missing";
      case NEVER -> "never";
    };
  }
}
