package io.headgate.agent.process;

import io.headgate.agent.core.DeviceNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Device files as they are on this machine.
public final class DeviceFiles {
  private static final Path DEV = Path.of("/dev");
  private static final int KIND = 0170000;
  private static final int CHARACTER = 0020000;

  private DeviceFiles() {}

  /// The character devices that the paths name, or that lie in the directories that they name;
  /// missing files are left out.
  ///
  /// @param paths below `/dev`
  public static List<DeviceNode> of(List<Path> paths) throws IOException {
    List<DeviceNode> nodes = new ArrayList<>();
    for (Path path : paths) {
      if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        find(DEV, path).ifPresent(nodes::add);
        continue;
      }
      try (Stream<Path> files = Files.walk(path)) {
        for (Path file : files.sorted().toList()) {
          find(DEV, file).ifPresent(nodes::add);
        }
      }
    }
    return nodes;
  }

  /// The device whose file this is; empty: it is no character device, or not there.
  ///
  /// @param dev the directory below which the node's name begins: `/dev`, except in tests
  public static Optional<DeviceNode> find(Path dev, Path file) throws IOException {
    Map<String, Object> attributes;
    try {
      attributes = Files.readAttributes(file, "unix:mode,rdev", LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
    if (!(attributes.get("mode") instanceof Number mode)
        || !(attributes.get("rdev") instanceof Number device)
        || (mode.intValue() & KIND) != CHARACTER) {
      return Optional.empty();
    }
    long number = device.longValue();
    // As the C library packs it: twelve bits of the major number lie between those of the minor.
    int major = (int) ((number >> 8) & 0xfff);
    int minor = (int) ((number & 0xff) | ((number >> 12) & 0xfff00));
    return Optional.of(new DeviceNode(dev.relativize(file).toString(), major, minor));
  }
}
