package io.headgate.sdk.cli.context;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/// The file of contexts. It holds keys, so only its owner can read it. Each write replaces the
/// whole file by a rename, so that readers never see half of it.
public final class ContextStore {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

  private final Path file;

  public ContextStore(Path file) {
    this.file = file;
  }

  /// `$XDG_CONFIG_HOME/headgate/config.yaml`, by default `~/.config/headgate/config.yaml`.
  public static ContextStore of(Map<String, String> variables) {
    String base = variables.getOrDefault("XDG_CONFIG_HOME", "");
    Path directory =
        base.isEmpty() ? Path.of(variables.getOrDefault("HOME", "."), ".config") : Path.of(base);
    return new ContextStore(directory.resolve("headgate").resolve("config.yaml"));
  }

  public Path file() {
    return file;
  }

  /// Reads the stored contexts; empty when there is no file.
  ///
  /// @throws IOException when the file cannot be read or is damaged
  public Contexts load() throws IOException {
    if (!Files.exists(file)) {
      return Contexts.NONE;
    }
    try {
      Object tree = new Load(LoadSettings.builder().build()).loadFromString(Files.readString(file));
      return tree instanceof Map<?, ?> map ? contexts(map) : Contexts.NONE;
    } catch (YamlEngineException e) {
      String where =
          e instanceof MarkedYamlEngineException marked
              ? marked
                  .getProblemMark()
                  .map(mark -> " in line " + (mark.getLine() + 1) + ": " + marked.getProblem())
                  .orElse("")
              : "";
      throw new IOException(file + " is not valid YAML" + where, e);
    }
  }

  /// Whether other users than the owner may read the file.
  public boolean isExposed() throws IOException {
    return Files.exists(file) && !OWNER_ONLY.containsAll(Files.getPosixFilePermissions(file));
  }

  private static Contexts contexts(Map<?, ?> map) {
    List<Context> all = new ArrayList<>();
    if (map.get("contexts") instanceof List<?> list) {
      for (Object item : list) {
        if (item instanceof Map<?, ?> entry) {
          context(entry).ifPresent(all::add);
        }
      }
    }
    return new Contexts(text(map, "current"), all);
  }

  private static Optional<Context> context(Map<?, ?> entry) {
    String name = text(entry, "name");
    String server = text(entry, "server");
    return name == null || server == null
        ? Optional.empty()
        : Optional.of(
            new Context(
                name,
                server,
                text(entry, "tenant"),
                text(entry, "key"),
                text(entry, "certificateAuthority")));
  }

  private static @Nullable String text(Map<?, ?> map, String key) {
    Object value = map.get(key);
    return value == null ? null : value.toString();
  }

  /// Replaces the stored contexts.
  public void save(Contexts contexts) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    Files.createDirectories(directory);
    Path fresh =
        Files.createTempFile(
            directory, "config", ".tmp", PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    try {
      Files.writeString(fresh, text(contexts));
      try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  /// Adds or replaces one context and selects it.
  public void put(Context context) throws IOException {
    save(load().with(context).select(context.name()));
  }

  private static String text(Contexts contexts) {
    Map<String, Object> root = new LinkedHashMap<>();
    if (contexts.current() != null) {
      root.put("current", contexts.current());
    }
    List<Map<String, String>> list = new ArrayList<>();
    for (Context context : contexts.all()) {
      Map<String, String> entry = new LinkedHashMap<>();
      entry.put("name", context.name());
      entry.put("server", context.server());
      if (context.tenant() != null) {
        entry.put("tenant", context.tenant());
      }
      if (context.certificateAuthority() != null) {
        entry.put("certificateAuthority", context.certificateAuthority());
      }
      if (context.key() != null) {
        entry.put("key", context.key());
      }
      list.add(entry);
    }
    root.put("contexts", list);
    DumpSettings settings = DumpSettings.builder().setDefaultFlowStyle(FlowStyle.BLOCK).build();
    return new Dump(settings).dumpToString(root);
  }
}
