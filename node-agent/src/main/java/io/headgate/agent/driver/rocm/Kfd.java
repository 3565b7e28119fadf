package io.headgate.agent.driver.rocm;

import io.headgate.agent.driver.GpuDriverException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// The kernel's compute driver as shown below `/sys`: the GPUs and partitions that programs see,
/// and the memory of each process.
///
/// @param sysfs `/sys`, except in tests
record Kfd(Path sysfs) {
  /// The file with a GPU's mode of compute partitions.
  static final String MODE = "current_compute_partition";

  /// A GPU or a partition of one, as programs see it.
  ///
  /// @param number of the node on this machine
  /// @param id by which memory is counted
  /// @param uniqueId 0: it has none
  /// @param partition of its GPU, from 0
  /// @param renderMinor the number in the name of its device file
  record Node(
      int number, long id, long uniqueId, PciAddress address, int partition, int renderMinor) {}

  /// All of them, in the order in which programs number them.
  ///
  /// @throws GpuDriverException when they cannot be read
  List<Node> nodes() {
    List<Node> nodes = new ArrayList<>();
    Path topology = sysfs.resolve("class/kfd/kfd/topology/nodes");
    for (Path directory : children(topology)) {
      long id = number(text(directory.resolve("gpu_id")));
      if (id != 0) { // Processors are nodes too, without one.
        Map<String, Long> properties = properties(directory.resolve("properties"));
        long location = properties.getOrDefault("location_id", 0L);
        nodes.add(
            new Node(
                Integer.parseInt(directory.getFileName().toString()),
                id,
                properties.getOrDefault("unique_id", 0L),
                PciAddress.of(properties.getOrDefault("domain", 0L), location),
                PciAddress.partition(location),
                Math.toIntExact(properties.getOrDefault("drm_render_minor", 0L))));
      }
    }
    nodes.sort(Comparator.comparingInt(Node::number));
    return nodes;
  }

  /// Bytes of memory that each process has of some nodes together. A process that opened them and
  /// has none counts with 0.
  ///
  /// @param nodes ids
  /// @throws GpuDriverException when it cannot be read
  SortedMap<Long, Long> memoryByProcess(Collection<Long> nodes) {
    SortedMap<Long, Long> memory = new TreeMap<>();
    for (Path process : children(sysfs.resolve("class/kfd/kfd/proc"))) {
      long pid = number(process.getFileName().toString());
      for (long node : nodes) {
        try {
          memory.merge(pid, number(read(process.resolve("vram_" + node))), Long::sum);
        } catch (NoSuchFileException _) {
          // It does not use this one, or has ended meanwhile.
        } catch (IOException e) {
          throw unreadable(process, e);
        }
      }
    }
    return memory;
  }

  /// An attribute of the GPU at the address; empty: the kernel shows none of the name.
  String attribute(PciAddress address, String name) {
    Path file = file(address, name);
    try {
      return read(file);
    } catch (NoSuchFileException _) {
      return "";
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  /// Whether the agent may write a file of the GPU under its address.
  boolean isWritable(PciAddress address, String name) {
    return Files.isWritable(file(address, name));
  }

  /// Writes a file of the GPU under its address.
  ///
  /// @throws IOException with the kernel's reason when it refuses
  void write(PciAddress address, String name, String text) throws IOException {
    Files.writeString(file(address, name), text, StandardOpenOption.WRITE);
  }

  /// Where the kernel shows a GPU.
  Path directory(PciAddress address) {
    return sysfs.resolve("bus/pci/devices").resolve(address.toString());
  }

  private Path file(PciAddress address, String name) {
    return directory(address).resolve(name);
  }

  private static Map<String, Long> properties(Path file) {
    Map<String, Long> properties = new HashMap<>();
    text(file)
        .lines()
        .map(line -> line.strip().split(" +", -1))
        .filter(words -> words.length == 2 && words[1].matches("[0-9]+"))
        .forEach(words -> properties.put(words[0], number(words[1])));
    return properties;
  }

  private static List<Path> children(Path directory) {
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, "[0-9]*")) {
      List<Path> children = new ArrayList<>();
      stream.forEach(children::add);
      return children;
    } catch (NoSuchFileException _) {
      return List.of();
    } catch (IOException | DirectoryIteratorException e) {
      throw unreadable(directory, e);
    }
  }

  private static String text(Path file) {
    try {
      return read(file);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file).strip();
  }

  private static long number(String text) {
    try {
      return Long.parseUnsignedLong(text);
    } catch (NumberFormatException _) {
      throw new GpuDriverException("the amdgpu driver shows \"%s\" for a number".formatted(text));
    }
  }

  private static GpuDriverException unreadable(Path file, Exception e) {
    return new GpuDriverException("%s cannot be read: %s".formatted(file, e.getMessage()));
  }
}
