package io.headgate.agent.driver;

import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.process.DeviceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// The kernel's view of its drivers' devices.
///
/// @param dev `/dev`, except in tests
/// @param proc `/proc`, except in tests
public record KernelDevices(Path dev, Path proc) {
  /// This machine's.
  public static final KernelDevices HERE = new KernelDevices(Path.of("/dev"), Path.of("/proc"));

  /// The device whose file has this name; empty: there is no such file.
  public Optional<DeviceNode> node(String name) {
    try {
      return DeviceFiles.find(dev, dev.resolve(name));
    } catch (IOException e) {
      throw new GpuDriverException("/dev/%s cannot be read: %s".formatted(name, e));
    }
  }

  /// The number of a driver of character devices; empty: it is not loaded.
  public OptionalInt major(String driver) {
    // "195 nvidia", until the list of block devices begins.
    return lines("devices").stream()
        .takeWhile(line -> !line.startsWith("Block"))
        .map(line -> line.strip().split(" +", 2))
        .filter(words -> words.length == 2 && words[1].equals(driver))
        .mapToInt(words -> Integer.parseInt(words[0]))
        .findFirst();
  }

  /// The lines of a file of `/proc`; none if it is not there.
  public List<String> lines(String file) {
    try {
      return Files.readAllLines(proc.resolve(file));
    } catch (IOException _) {
      return List.of();
    }
  }
}
