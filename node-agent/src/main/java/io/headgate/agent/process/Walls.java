package io.headgate.agent.process;

import io.headgate.agent.core.DeviceNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// The walls between one job and the rest of the machine. An absent value means an absent wall.
///
/// @param user of the job, and its group; empty: the agent's
/// @param namespaces of its own: mounts, processes, messages, and perhaps network
/// @param fileSystem the files that it finds; with namespaces only
/// @param devices that it may use beside those of every job
/// @param fence what keeps it from opening others
/// @param metadataFenced it does not reach a cloud's metadata service; with a cgroup v2 only
/// @param filtered it may make only the system calls that jobs have a use for
/// @param groups cgroup v1 directories that it joins
/// @param limits of its processes
public record Walls(
    OptionalInt user,
    Namespaces namespaces,
    FileSystem fileSystem,
    List<DeviceNode> devices,
    Fence fence,
    boolean metadataFenced,
    boolean filtered,
    List<Path> groups,
    Limits limits) {
  /// A job like any program of the agent's user.
  public static final Walls NONE =
      new Walls(
          OptionalInt.empty(),
          Namespaces.NONE,
          FileSystem.NONE,
          List.of(),
          new Fence.Absent(),
          false,
          false,
          List.of(),
          Limits.NONE);

  /// The walls of a job in a container, whose walls are those of the container.
  ///
  /// @param files that a process may have open
  /// @param processes and threads that its user may have, on all of the machine
  public static Walls ofContainer(int files, int processes) {
    return new Walls(
        NONE.user,
        NONE.namespaces,
        NONE.fileSystem,
        NONE.devices,
        NONE.fence,
        NONE.metadataFenced,
        NONE.filtered,
        NONE.groups,
        new Limits(files, processes));
  }

  /// Which ones are the job's own.
  public enum Namespaces {
    NONE(""),
    /// All but the network.
    SHARED_NETWORK("shared-network"),
    /// The network too, of which only the loopback is there.
    OWN_NETWORK("own-network");

    private final String word;

    Namespaces(String word) {
      this.word = word;
    }
  }

  /// The file system as the job finds it.
  ///
  /// @param root of its container; empty: it has none
  /// @param temporary its `/tmp`; empty: the machine's
  /// @param otherTemporary its `/var/tmp`
  /// @param sharedMemory its `/dev/shm`; empty: one of its own
  /// @param withheld directories that it never finds, except for `shown`; they may be on file
  ///   systems that do not answer, or come later
  /// @param hidden directories that it finds empty, except for `shown`
  /// @param shown directories that it finds at their place, even below hidden ones
  /// @param owned directories that become its user's, with all that is in them
  public record FileSystem(
      Optional<Root> root,
      Optional<Path> temporary,
      Optional<Path> otherTemporary,
      Optional<Path> sharedMemory,
      List<Path> withheld,
      List<Path> hidden,
      List<Path> shown,
      List<Path> owned) {
    public static final FileSystem NONE =
        new FileSystem(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            List.of(),
            List.of(),
            List.of());

    public FileSystem {
      withheld = List.copyOf(withheld);
      hidden = List.copyOf(hidden);
      shown = List.copyOf(shown);
      owned = List.copyOf(owned);
    }
  }

  /// The files that a job has instead of the machine's, read-only.
  ///
  /// @param directory becomes its `/`; mount points are made in it
  /// @param lent files and directories of the machine that it finds at their place, read-only
  public record Root(Path directory, List<Path> lent) {
    public Root {
      lent = List.copyOf(lent);
    }
  }

  /// Keeps the job from opening devices that are not its own, even if it finds their files.
  public sealed interface Fence {
    /// Nothing does; with namespaces of its own the job finds no files of others.
    record Absent() implements Fence {}

    /// A program of its cgroup v2.
    record Program() implements Fence {}

    /// A directory of the v1 controller, which it joins.
    record Group(Path directory) implements Fence {}
  }

  /// Limits that the kernel keeps for each process and user.
  ///
  /// @param files that a process may have open; 0: the agent's limit
  /// @param processes and threads that the user may have; 0: the agent's limit. Used where no
  ///   cgroup counts them
  public record Limits(long files, long processes) {
    static final Limits NONE = new Limits(0, 0);
  }

  public Walls {
    devices = List.copyOf(devices);
    groups = List.copyOf(groups);
  }

  /// Writes the walls as lines of a specification.
  void writeTo(StringBuilder text) {
    user.ifPresent(id -> line(text, "user", id));
    if (namespaces != Namespaces.NONE) {
      line(text, "namespaces", namespaces.word);
    }
    fileSystem.root.ifPresent(root -> {
      line(text, "root", root.directory);
      root.lent.forEach(path -> line(text, "lent", path));
    });
    fileSystem.temporary.ifPresent(path -> line(text, "tmp", path));
    fileSystem.otherTemporary.ifPresent(path -> line(text, "var_tmp", path));
    fileSystem.sharedMemory.ifPresent(path -> line(text, "shm", path));
    fileSystem.withheld.forEach(path -> line(text, "withheld", path));
    fileSystem.hidden.forEach(path -> line(text, "hidden", path));
    fileSystem.shown.forEach(path -> line(text, "shown", path));
    fileSystem.owned.forEach(path -> line(text, "owned", path));
    for (DeviceNode device : devices) {
      line(text, "device", device.major() + ":" + device.minor() + " " + device.name());
    }
    switch (fence) {
      case Fence.Absent() -> {}
      case Fence.Program() -> line(text, "fence", "program");
      case Fence.Group(Path directory) -> line(text, "fence", directory);
    }
    if (metadataFenced) {
      line(text, "metadata", "fenced");
    }
    if (filtered) {
      line(text, "syscalls", "filtered");
    }
    groups.forEach(path -> line(text, "group", path));
    line(text, "files", limits.files);
    line(text, "processes", limits.processes);
  }

  private static void line(StringBuilder text, String key, Object value) {
    String words = value.toString();
    if (words.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("line break in " + words);
    }
    text.append(key).append('=').append(words).append('\n');
  }
}
