package io.headgate.agent.container;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Layers of images that try to reach files outside of the image.
///
/// @param work where they are made
/// @param outside a directory of the machine that has a file `canary`
record HostileLayers(Path work, Path outside) {
  /// Archives of images, each with one kind of attack, by its name.
  Map<String, Path> archives() throws Exception {
    Map<String, Path> archives = new TreeMap<>();
    String up = "../".repeat(20) + outside.toString().substring(1);
    archives.put("a file behind a link", image("behind", link(), file("planted", "out/planted")));
    archives.put(
        "a whiteout behind a link",
        image("whiteout", link(), file(".wh.canary", "out/.wh.canary")));
    archives.put(
        "an opaque whiteout behind a link",
        image("opaque", link(), file(".wh..wh..opq", "out/.wh..wh..opq")));
    archives.put("a name that climbs", image("climbs", file("planted", up + "/planted")));
    archives.put("an absolute name", image("absolute", file("planted", outside + "/absolute")));
    archives.put(
        "a whiteout that climbs", image("whiteup", file(".wh.canary", up + "/.wh.canary")));
    archives.put("a second name of a file outside", image("second", secondName(), overwrite()));
    return archives;
  }

  /// A command that writes one layer into the file that is its last word.
  private interface Layer {
    void writeTo(Path tar) throws Exception;
  }

  private Path image(String name, Layer... layers) throws Exception {
    Path parts = Files.createDirectories(work.resolve(name));
    List<Path> tars = new ArrayList<>();
    for (Layer layer : layers) {
      Path tar = parts.resolve("layer-" + tars.size() + ".tar");
      layer.writeTo(tar);
      tars.add(tar);
    }
    return ImageArchive.ofLayers(parts, tars);
  }

  /// `out`, which leads outside.
  private Layer link() {
    return tar -> {
      Path files = Files.createTempDirectory(work, "link");
      Files.createSymbolicLink(files.resolve("out"), outside);
      Programs.run("tar", "-C", files.toString(), "-cf", tar.toString(), "out");
    };
  }

  /// A file with a name of any form.
  private Layer file(String name, String inLayer) {
    return tar -> {
      Path files = Files.createTempDirectory(work, "file");
      Files.writeString(files.resolve(name), "hostile");
      Programs.run(
          "tar",
          "-P",
          "-C",
          files.toString(),
          "--transform",
          "s|^.*$|" + inLayer + "|",
          "-cf",
          tar.toString(),
          name);
    };
  }

  /// `second`, which names the inode of the canary.
  private Layer secondName() {
    return tar -> {
      Path files = Files.createTempDirectory(work, "second");
      Files.writeString(files.resolve("a"), "hostile");
      Files.createLink(files.resolve("second"), files.resolve("a"));
      Programs.run(
          "tar",
          "-P",
          "-C",
          files.toString(),
          "--transform",
          "flags=h;s|^a$|" + outside.resolve("canary") + "|",
          "-cf",
          tar.toString(),
          "a",
          "second");
      Programs.run("tar", "-P", "--delete", "-f", tar.toString(), "a");
    };
  }

  /// Writes to `second` again, in place if an engine is careless.
  private Layer overwrite() {
    return file("planted", "second");
  }
}
