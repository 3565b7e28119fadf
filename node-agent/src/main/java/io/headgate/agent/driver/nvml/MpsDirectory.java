package io.headgate.agent.driver.nvml;

import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.process.MarkedProcesses;
import io.headgate.agent.process.NameHash;
import io.headgate.agent.process.Trees;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The directories of one slice's MPS daemon, by which the daemon is found again:
///
/// - `pipe/` holds its sockets and its pid file. The daemon's user owns it, so no job can forge its
///   contents. In protocol 2 the job uses it. In protocol 3 the job uses only `pipe/slice/job/`,
///   the namespace that has the limits.
/// - `log/` holds its logs, and the last words said to it.
/// - `/dev/shm/headgate-mps-…/shm` is `/dev/shm` to the daemon and to the job only.
///
/// The daemon, its servers and the job have the path of the sockets in their environment. This
/// identifies them better than a pid and a start time do. It also finds a daemon that a killed
/// agent had only begun to start.
///
/// @param directory short, because a socket's path has 107 bytes
record MpsDirectory(Path directory) {
  static final String PIPE_VARIABLE = "CUDA_MPS_PIPE_DIRECTORY";
  private static final String PID_FILE = "nvidia-cuda-mps-control.pid";
  static final String SERVER = "slice";
  static final String NAMESPACE = "job";

  /// First in the names of directories of protocol 2. Older agents named them by hexadecimal digits
  /// without a mark.
  private static final String V2_MARK = "v2";

  private static final String V3_MARK = "v3";

  /// With 65 bits; a longer one would not fit in the path of a socket.
  private static final int HASH_LENGTH = 11;

  private static final int EVERYBODYS = 01777;

  /// The place of a slice, by the slice's name.
  static MpsDirectory of(Path parent, String slice, MpsProtocol protocol) {
    Path named = parent.resolve(slice);
    String mark = protocol == MpsProtocol.V3 ? V3_MARK : V2_MARK;
    return new MpsDirectory(
        parent.resolve(mark + NameHash.alphanumeric(named.toString(), HASH_LENGTH)));
  }

  Path pipe() {
    return directory.resolve("pipe");
  }

  /// The protocol of its daemon.
  MpsProtocol protocol() {
    return String.valueOf(directory.getFileName()).startsWith(V3_MARK)
        ? MpsProtocol.V3
        : MpsProtocol.V2;
  }

  /// Where the job finds its daemon.
  Path sockets() {
    return switch (protocol()) {
      case V2 -> pipe();
      case V3 -> pipe().resolve(SERVER).resolve(NAMESPACE);
    };
  }

  Path log() {
    return directory.resolve("log");
  }

  Path sharedMemory() {
    return privateMemory().resolve("shm");
  }

  /// A directory that other users see but cannot enter.
  private Path privateMemory() {
    return Path.of("/dev/shm/headgate-mps-" + directory.getFileName());
  }

  /// Makes the missing directories.
  void make() throws IOException {
    makeOpen(pipe());
    makeOpen(log());
    try {
      Files.createDirectory(
          privateMemory(),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException e) {
      if (!owner(privateMemory()).equals(owner(directory))) {
        throw new IOException(privateMemory() + " belongs to another user", e);
      }
    }
    Files.createDirectories(sharedMemory());
    Files.setAttribute(sharedMemory(), "unix:mode", EVERYBODYS);
  }

  /// Servers are of the job's user, and pass here whatever this process keeps from others.
  private static void makeOpen(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    @Nullable Path parent = directory.getParent();
    if (parent != null) {
      makeOpen(parent);
    }
    try {
      Files.createDirectory(directory);
    } catch (FileAlreadyExistsException _) {
      // For another slice, meanwhile.
    }
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static Object owner(Path path) throws IOException {
    return Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
  }

  /// Whether the daemon is root's, and so a job another user.
  boolean isRoots() {
    try {
      return owner(directory).equals(0);
    } catch (IOException e) {
      throw new GpuDriverException("the directory of an MPS daemon is gone: " + e);
    }
  }

  boolean isThere() {
    return Files.exists(directory) || Files.exists(privateMemory());
  }

  void delete() throws IOException {
    Trees.delete(privateMemory());
    Trees.delete(directory);
  }

  /// The daemon, while it lives.
  Optional<ProcessHandle> daemon() {
    long pid;
    try {
      pid = Long.parseLong(Files.readString(pipe().resolve(PID_FILE)).strip());
    } catch (IOException | NumberFormatException _) {
      // Not there, half written, or not a daemon's.
      return Optional.empty();
    }
    return ProcessHandle.of(pid)
        .filter(
            process -> MarkedProcesses.isMarked(pid, List.of(mark(pipe()))) && process.isAlive());
  }

  /// All that belongs to it.
  List<ProcessHandle> processes() {
    try {
      return MarkedProcesses.findAny(List.of(mark(pipe()), mark(sockets())));
    } catch (IOException e) {
      throw new GpuDriverException("the processes of this machine cannot be listed: " + e);
    }
  }

  private static String mark(Path sockets) {
    return PIPE_VARIABLE + "=" + sockets;
  }
}
