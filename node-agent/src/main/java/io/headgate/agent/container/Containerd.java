package io.headgate.agent.container;

import io.headgate.agent.core.Container.PullPolicy;
import io.headgate.agent.process.NameHash;
import io.headgate.type.ImageReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// Containerd fetches images and keeps them in Headgate's own namespace. Containers without a task
/// protect them from garbage collection. The agent mounts their files itself.
///
/// @param ctr its client
/// @param pullTimeout how long a pull of an image may take
/// @param description name and version
record Containerd(EngineProgram ctr, ImageMounts mounts, Duration pullTimeout, String description)
    implements ImageStore {
  private static final String NAMESPACE = "headgate";
  private static final String LABEL = "io.headgate.copy";
  private static final int HASH_DIGITS = 32;

  /// Where containerd's other clients, too, look for how to reach registries.
  private static final Path HOSTS = Path.of("/etc/containerd/certs.d");

  /// Tries it.
  ///
  /// @throws IOException why it cannot be used
  static Containerd open(Path program, ImageMounts mounts, Duration pullTimeout)
      throws IOException, InterruptedException {
    EngineProgram ctr =
        EngineProgram.at(program, "--namespace=" + NAMESPACE, "--connect-timeout=3s");
    String version =
        ctr.run("version")
            .lines()
            .map(String::strip)
            .filter(line -> line.startsWith("Version:"))
            .reduce("", (client, server) -> server);
    return new Containerd(
        ctr, mounts, pullTimeout, "containerd " + version.replace("Version:", "").strip());
  }

  @Override
  public Image open(String name, ImageReference image, PullPolicy pull, BooleanSupplier abandoned)
      throws IOException, InterruptedException {
    remove(name);
    String reference = image.toString();
    try {
      fetch(reference, pull, abandoned);
      String label = LABEL + "=" + name;
      ctr.run(
          pullTimeout, abandoned, "containers", "create", "--label", label, reference, id(name));
    } catch (EngineProgram.FailedException e) {
      ctr.run("version"); // it answers, so it is the image
      throw new ImageException("image %s is not available: %s".formatted(image, e.getMessage()));
    }
    Details details = details(id(name));
    return details.defaults.at(mounts.mount(name, recipe(details)));
  }

  private void fetch(String reference, PullPolicy pull, BooleanSupplier abandoned)
      throws IOException, InterruptedException {
    boolean there =
        !ctr.run("images", "list", "--quiet", "name==\"%s\"".formatted(reference)).isBlank();
    if (pull == PullPolicy.NEVER && !there) {
      throw new EngineProgram.FailedException(
          "containerd does not have it in the namespace headgate");
    }
    if (pull == PullPolicy.ALWAYS || !there) {
      List<String> command = new ArrayList<>(List.of("images", "pull"));
      if (Files.isDirectory(HOSTS)) {
        command.addAll(List.of("--hosts-dir", HOSTS.toString()));
      }
      command.add(reference);
      ctr.run(pullTimeout, abandoned, command.toArray(String[]::new));
    }
  }

  /// A container as containerd describes it.
  private record Details(
      String snapshotter, String snapshot, Optional<String> copy, ImageDefaults defaults) {}

  private Details details(String id) throws IOException, InterruptedException {
    Map<?, ?> all =
        map(
            new Load(LoadSettings.builder().build())
                .loadFromString(ctr.run("containers", "info", id)));
    Map<?, ?> process = map(map(all.get("Spec")).get("process"));
    return new Details(
        String.valueOf(all.get("Snapshotter")),
        String.valueOf(all.get("SnapshotKey")),
        Optional.ofNullable((String) map(all.get("Labels")).get(LABEL)),
        new ImageDefaults(String.valueOf(process.get("cwd")), list(process.get("env"))));
  }

  private static Map<?, ?> map(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? map : Map.of();
  }

  private static List<String> list(@Nullable Object value) {
    return value instanceof List<?> list ? list.stream().map(String::valueOf).toList() : List.of();
  }

  /// By `mount -t overlay overlay TARGET -o index=off,…`, as it says for people.
  private ImageMounts.Recipe recipe(Details details) throws IOException, InterruptedException {
    String said =
        ctr.run(
            "snapshots",
            "--snapshotter",
            details.snapshotter,
            "mounts",
            "TARGET",
            details.snapshot);
    List<String> words = Arrays.asList(said.strip().split(" "));
    if (words.size() != 7 || !words.get(4).equals("TARGET") || !words.get(5).equals("-o")) {
      throw new IOException("containerd answers with a mount of an unknown form: " + said.strip());
    }
    return new ImageMounts.Recipe(words.get(2), words.get(3), words.get(6));
  }

  @Override
  public void remove(String name) throws IOException, InterruptedException {
    mounts.remove(name);
    String id = id(name);
    if (ids().contains(id)) {
      ctr.run("containers", "delete", id);
    }
  }

  @Override
  public List<String> list(String prefix) throws IOException, InterruptedException {
    List<String> names = new ArrayList<>();
    for (String id : ids()) {
      details(id).copy.filter(name -> name.startsWith(prefix)).ifPresent(names::add);
    }
    return names;
  }

  private List<String> ids() throws IOException, InterruptedException {
    return ctr.run("containers", "list", "--quiet").lines().map(String::strip).toList();
  }

  /// The container's id. A digest, because containerd limits ids to 76 characters.
  private static String id(String name) {
    return "headgate-" + NameHash.hex(name, HASH_DIGITS);
  }
}
