package io.headgate.agent.container;

import io.headgate.agent.process.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// Where the files of images are mounted whose engine mounts them for its own containers only.
///
/// @param directory has one for each copy, and is root's alone: others than the job see no image
record ImageMounts(Path directory) {
  private static final EngineProgram MOUNT = EngineProgram.at(Path.of("/bin/mount"));
  private static final EngineProgram UNMOUNT = EngineProgram.at(Path.of("/bin/umount"));

  /// Makes the directory, if it is not there.
  ///
  /// @throws IOException also when others than its owner may look into it
  static ImageMounts in(Path directory) throws IOException {
    Set<PosixFilePermission> closed = PosixFilePermissions.fromString("rwx------");
    if (!Files.exists(directory)) {
      Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(closed));
    }
    if (!closed.containsAll(Files.getPosixFilePermissions(directory))) {
      throw new IOException(
          "images cannot be mounted in %s, because other users can read it; give it mode 700, or name another containers.mounts"
              .formatted(directory));
    }
    return new ImageMounts(directory.toRealPath());
  }

  /// The arguments of a mount: `mount -t TYPE -o OPTIONS SOURCE`.
  record Recipe(String type, String source, String options) {
    /// Layers, the topmost first, below a directory of the copy's own that takes the changes.
    static Recipe overlay(List<Path> layers, Path own) throws IOException {
      Path changed = Files.createDirectories(own.resolve("changed"));
      // The job has this directory as `/` and must be able to enter it, whatever this process keeps
      // from others.
      Files.setPosixFilePermissions(changed, PosixFilePermissions.fromString("rwxr-xr-x"));
      Path work = Files.createDirectories(own.resolve("work"));
      String lower = layers.stream().map(Path::toString).collect(Collectors.joining(":"));
      return new Recipe(
          "overlay",
          "overlay",
          "lowerdir=%s,upperdir=%s,workdir=%s".formatted(lower, changed, work));
    }
  }

  /// The copy's own directory.
  Path place(String name) {
    return directory.resolve(name);
  }

  /// Mounts a copy, and says where.
  Path mount(String name, Recipe recipe) throws IOException, InterruptedException {
    Path root = Files.createDirectories(root(name));
    Shortened options = Shortened.of(recipe.options);
    MOUNT
        .in(options.from)
        .run("-t", recipe.type, "-o", options.text, "--", recipe.source, root.toString());
    return root;
  }

  /// Unmounts a copy, if it is mounted, and removes its own directory.
  void remove(String name) throws IOException, InterruptedException {
    while (isMounted(root(name))) {
      // Lazily: an operator who looks around in there holds up no job's end.
      UNMOUNT.run("--lazy", "--", root(name).toString());
    }
    Trees.delete(place(name));
  }

  private Path root(String name) {
    return place(name).resolve("root");
  }

  private static boolean isMounted(Path path) throws IOException {
    return Files.readAllLines(Path.of("/proc/self/mounts")).stream()
        .anyMatch(line -> line.split(" ", 3)[1].equals(path.toString()));
  }

  /// Mount options that are shortened to fit into one page, the most that the kernel takes. The
  /// layers, of which there may be a hundred, are named relative to their common directory.
  ///
  /// @param from the directory that the names are relative to
  private record Shortened(Path from, String text) {
    private static final String LAYERS = "lowerdir=";

    static Shortened of(String options) {
      List<String> words = new ArrayList<>(Arrays.asList(options.split(",")));
      Path from = Path.of("/");
      for (int i = 0; i < words.size(); i++) {
        if (words.get(i).startsWith(LAYERS)) {
          List<Path> layers =
              Arrays.stream(words.get(i).substring(LAYERS.length()).split(":"))
                  .map(Path::of)
                  .toList();
          Path common = common(layers);
          from = common;
          words.set(
              i,
              layers.stream()
                  .map(layer -> common.relativize(layer).toString())
                  .collect(Collectors.joining(":", LAYERS, "")));
        }
      }
      return new Shortened(from, String.join(",", words));
    }

    private static Path common(List<Path> layers) {
      Path common = Path.of("/");
      for (Path name : layers.getFirst()) {
        Path deeper = common.resolve(name);
        if (!layers.stream().allMatch(layer -> layer.startsWith(deeper) && !layer.equals(deeper))) {
          return common;
        }
        common = deeper;
      }
      return common;
    }
  }
}
