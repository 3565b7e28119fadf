package io.headgate.agent.container;

import io.headgate.agent.core.JsonText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/// An image as a file that every engine reads, for lack of a registry.
public final class ImageArchive {
  /// The name and tag of the image.
  public static final String NAME = "localhost/headgate-test:1";

  private static final AtomicLong TIMES = new AtomicLong();

  private ImageArchive() {}

  /// An archive of an image with this many layers. The first has the file `hello` with the text
  /// `there`, layer N the file `layer-N`. The image sets A=b=c and the working directory /w, and
  /// wants a volume.
  public static Path make(Path directory, int layers) throws Exception {
    Path parts = Files.createTempDirectory(directory, "parts");
    Path files = Files.createTempDirectory(directory, "files");
    List<Path> contents = new ArrayList<>();
    for (int i = 0; i < layers; i++) {
      String name = i == 0 ? "hello" : "layer-" + i;
      Path file = Files.writeString(files.resolve(name), i == 0 ? "there\n" : "" + i);
      // No two images have a layer in common, which containerd could collect while it reads it.
      Files.setLastModifiedTime(file, FileTime.from(TIMES.incrementAndGet(), TimeUnit.SECONDS));
      contents.add(file);
    }
    return make(parts, contents);
  }

  /// An archive of an image with these files, each in its own layer.
  static Path make(Path parts, List<Path> contents) throws Exception {
    List<Path> layers = new ArrayList<>();
    for (Path content : contents) {
      Path layer = parts.resolve("layer-" + layers.size() + ".tar");
      Programs.run(
          "tar",
          "-C",
          content.getParent().toString(),
          "-cf",
          layer.toString(),
          content.getFileName().toString());
      layers.add(layer);
    }
    return ofLayers(parts, layers);
  }

  /// An archive of an image with these layers, which are archives in `parts`.
  static Path ofLayers(Path parts, List<Path> layers) throws Exception {
    List<String> names = new ArrayList<>();
    List<String> digests = new ArrayList<>();
    for (Path layer : layers) {
      names.add(layer.getFileName().toString());
      digests.add("sha256:" + sha256(Files.readAllBytes(layer)));
    }
    String config =
        """
        {"architecture": "%s", "os": "linux", "rootfs": {"type": "layers", "diff_ids": %s},
         "config": {"Env": ["A=b=c"], "WorkingDir": "/w", "Volumes": {"/volume": {}}}}
        """
            .formatted(
                System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64", list(digests));
    String id = sha256(config.getBytes(StandardCharsets.UTF_8)) + ".json";
    Files.writeString(parts.resolve(id), config);
    Files.writeString(
        parts.resolve("manifest.json"),
        "[{\"Config\": %s, \"RepoTags\": [%s], \"Layers\": %s}]"
            .formatted(JsonText.of(id), JsonText.of(NAME), list(names)));
    Path archive = parts.resolveSibling(parts.getFileName() + ".tar");
    Programs.run("tar", "-C", parts.toString(), "-cf", archive.toString(), ".");
    return archive;
  }

  private static String sha256(byte[] bytes) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  private static String list(List<String> words) {
    return words.stream().map(JsonText::of).collect(Collectors.joining(", ", "[", "]"));
  }
}
