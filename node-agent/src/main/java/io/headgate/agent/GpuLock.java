package io.headgate.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The machine-wide lock that reserves the GPUs for one agent: two agents would each give all of
/// them away.
///
/// The kernel releases it when its holder dies, however it dies; supervisors, which outlive the
/// agent, do not inherit it. Root's lock lies in `/run` and only root can open it: a user that
/// could take it could keep the machine's agent from its GPUs. Other users learn from the kernel's
/// list of locks whether it is held. They have one lock per user, which root ignores.
final class GpuLock implements AutoCloseable {
  private static final String NAME = "headgate-gpus.lock";
  private static final Path OF_ROOT = Path.of("/run", NAME);
  private static final int ROOT = 0;

  /// A line of `/proc/locks`: the process, and the file by device and inode.
  private static final Pattern LINE =
      Pattern.compile(
          "\\d+: POSIX +ADVISORY +WRITE (\\d+) (\\p{XDigit}+):(\\p{XDigit}+):(\\d+) .*");

  /// The data directory behind each lock of this JVM. Read first, because opening and closing such
  /// a file would release this process's own lock.
  private static final Map<Path, Path> HELD = new ConcurrentHashMap<>();

  private final Path file;
  private final FileChannel channel;

  private GpuLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /// Takes it for the agent with this data directory.
  ///
  /// @throws UncheckedIOException when another agent has it, or it cannot be made
  static GpuLock take(GpuConfig.Lock config, Path data) {
    try {
      List<Path> heeded = heeded(config);
      Path own = heeded.getFirst();
      Optional<String> holder = holder(heeded);
      if (holder.isPresent() || HELD.putIfAbsent(own, data) != null) {
        throw taken(holder.orElse("another agent"));
      }
      try {
        return new GpuLock(own, lock(own, data));
      } catch (IOException | RuntimeException e) {
        HELD.remove(own);
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The agent that has this machine's GPUs, in words; empty: none.
  static Optional<String> holder(GpuConfig.Lock config) {
    try {
      return holder(heeded(config));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Optional<String> holder(List<Path> files) throws IOException {
    for (Path file : files) {
      OptionalLong pid =
          HELD.containsKey(file)
              ? OptionalLong.of(ProcessHandle.current().pid())
              : pidOfHolder(file);
      if (pid.isPresent()) {
        return Optional.of("the agent of process %d%s".formatted(pid.getAsLong(), data(file)));
      }
    }
    return Optional.empty();
  }

  /// The lock files, the one to take first at the front.
  private static List<Path> heeded(GpuConfig.Lock config) throws IOException {
    if (config.directory().isPresent()) {
      return List.of(config.directory().get().toAbsolutePath().resolve(NAME));
    }
    int user = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    if (user == ROOT) {
      return List.of(OF_ROOT);
    }
    Path own =
        Optional.ofNullable(System.getenv("XDG_RUNTIME_DIR"))
            .map(directory -> Path.of(directory, NAME))
            .orElseGet(() -> Path.of("/tmp", "headgate-gpus-%d.lock".formatted(user)));
    return List.of(own, OF_ROOT);
  }

  private static FileChannel lock(Path file, Path data) throws IOException {
    // In a directory that every user may write, a file of another user is neither followed nor
    // written.
    FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      if (!isOurs(file)) {
        throw new IOException(
            file + " belongs to another user: remove it, or name another gpu.lock.directory");
      }
      if (channel.tryLock() == null) {
        // The holder may be in a container whose processes are invisible here.
        throw taken("another agent");
      }
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(data.toString().getBytes(StandardCharsets.UTF_8)));
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static boolean isOurs(Path file) throws IOException {
    Map<String, Object> facts =
        Files.readAttributes(file, "unix:uid,nlink", LinkOption.NOFOLLOW_LINKS);
    Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    return user.equals(facts.get("uid")) && Integer.valueOf(1).equals(facts.get("nlink"));
  }

  private static OptionalLong pidOfHolder(Path file) throws IOException {
    Map<String, Object> facts;
    try {
      facts = Files.readAttributes(file, "unix:dev,ino", LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException _) {
      return OptionalLong.empty();
    }
    long device = (Long) facts.getOrDefault("dev", 0L);
    // The kernel packs device numbers as the C library does.
    long major = ((device >> 8) & 0xfff) | ((device >> 32) & ~0xfffL);
    long minor = (device & 0xff) | ((device >> 12) & 0xffffff00L);
    try (Stream<String> lines = Files.lines(Path.of("/proc/locks"))) {
      return lines
          .map(LINE::matcher)
          .filter(Matcher::matches)
          .filter(lock ->
              Long.parseLong(lock.group(2), 16) == major
                  && Long.parseLong(lock.group(3), 16) == minor
                  && lock.group(4).equals(String.valueOf(facts.get("ino"))))
          .mapToLong(lock -> Long.parseLong(lock.group(1)))
          .findFirst();
    }
  }

  /// The data directory of the agent that holds the lock, for a message; empty if unknown.
  private static String data(Path file) {
    try {
      Path held = HELD.get(file);
      String data = held == null ? Files.readString(file) : held.toString();
      return data.isBlank() ? "" : " (data directory %s)".formatted(data);
    } catch (IOException _) {
      return "";
    }
  }

  private static IOException taken(String holder) {
    return new IOException(
        ("the GPUs of this machine are in use by %s; two agents would give the same GPUs away: stop"
                + " the other one, or start without GPUs (gpu.driver: none; headgate up --nodes cpu)")
            .formatted(holder));
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      HELD.remove(file);
    }
  }
}
