package io.headgate.agent.process;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A directory held open. The kernel itself (openat2) refuses paths that lead out of it: no link,
/// no `..`, no other file system. The file must also be plain and have one name.
///
/// A job may write where its logs lie (until it has a user of its own). Between a check of a path
/// and its use, it could replace the file with a link to another user's file. Here the opened file
/// is checked instead.
@SuppressWarnings("restricted")
public final class PinnedDirectory implements AutoCloseable {
  private static final int SYS_OPENAT2 = 437;
  private static final int AT_FDCWD = -100;
  private static final long O_NONBLOCK = 0x800;
  private static final long O_CLOEXEC = 0x80000;
  private static final long O_PATH = 0x200000;
  private static final long RESOLVE_NO_XDEV = 0x01;
  private static final long RESOLVE_NO_SYMLINKS = 0x04;
  private static final long RESOLVE_BENEATH = 0x08;
  private static final int ENOENT = 2;

  private static final StructLayout OPEN_HOW =
      MemoryLayout.structLayout(
          ValueLayout.JAVA_LONG.withName("flags"),
          ValueLayout.JAVA_LONG.withName("mode"),
          ValueLayout.JAVA_LONG.withName("resolve"));
  private static final StructLayout CAPTURED = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CAPTURED.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle SYSCALL =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("syscall"),
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG),
          Linker.Option.firstVariadicArg(1),
          Linker.Option.captureCallState("errno"));
  private static final MethodHandle CLOSE =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("close"),
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  private final int descriptor;

  private PinnedDirectory(int descriptor) {
    this.descriptor = descriptor;
  }

  /// Opens the directory; the path itself is the agent's own and trusted.
  public static PinnedDirectory open(Path directory) throws IOException {
    return new PinnedDirectory(
        openAt(AT_FDCWD, directory.toAbsolutePath().toString(), O_PATH | O_CLOEXEC, 0));
  }

  /// A short path that leads to this very directory for as long as it is open.
  public Path path() {
    return Path.of("/proc/self/fd/" + descriptor);
  }

  /// Names of the entries of the directory itself.
  public List<String> names() throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path())) {
      for (Path entry : entries) {
        names.add(String.valueOf(entry.getFileName()));
      }
    }
    return names;
  }

  /// The beginning of a plain file, and the kernel's time of its last change (ctime), which no
  /// program can set.
  public record Head(String text, FileTime changed) {}

  /// Opens a plain file for reading.
  ///
  /// @throws NoSuchFileException when it is not there
  /// @throws IOException when it is anything else than a plain file with one name
  public FileChannel openFile(String name) throws IOException {
    return withFile(name, (opened, _) -> FileChannel.open(opened, StandardOpenOption.READ));
  }

  /// The head of a plain file; fails as [#openFile] does.
  ///
  /// @param mostBytes 0: it is not read
  public Head head(String name, int mostBytes) throws IOException {
    return withFile(
        name,
        (opened, changed) -> {
          if (mostBytes == 0) {
            return new Head("", changed);
          }
          try (InputStream in = Files.newInputStream(opened)) {
            return new Head(new String(in.readNBytes(mostBytes), StandardCharsets.UTF_8), changed);
          }
        });
  }

  /// An action on an open file.
  @FunctionalInterface
  private interface Use<T> {
    /// @param opened leads to the opened file, even if its name has another file now
    T of(Path opened, FileTime changed) throws IOException;
  }

  private <T> T withFile(String name, Use<T> use) throws IOException {
    // Non-blocking, so that a FIFO put in its place cannot hold the reader.
    int file =
        openAt(
            descriptor,
            name,
            O_NONBLOCK | O_CLOEXEC,
            RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
    try {
      Path opened = Path.of("/proc/self/fd/" + file);
      // A second name may vanish between open and check. The kernel prevents this attack: a user
      // cannot link to a file that he could not write (fs.protected_hardlinks). A file without any
      // name was replaced by a newer one since it was opened.
      Map<String, Object> attributes =
          Files.readAttributes(opened, "unix:isRegularFile,nlink,ctime");
      if (!Boolean.TRUE.equals(attributes.get("isRegularFile"))
          || !(attributes.get("nlink") instanceof Integer names)
          || names > 1
          || !(attributes.get("ctime") instanceof FileTime changed)) {
        throw new IOException(name + " is not a plain file with one name; it is not read");
      }
      return use.of(opened, changed);
    } finally {
      closeDescriptor(file);
    }
  }

  @Override
  public void close() {
    closeDescriptor(descriptor);
  }

  private static int openAt(int directory, String name, long flags, long resolve)
      throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment how = arena.allocate(OPEN_HOW);
      how.set(ValueLayout.JAVA_LONG, 0, flags);
      how.set(ValueLayout.JAVA_LONG, 16, resolve);
      MemorySegment state = arena.allocate(CAPTURED);
      long result =
          (long)
              SYSCALL.invokeExact(
                  state,
                  (long) SYS_OPENAT2,
                  (long) directory,
                  arena.allocateFrom(name),
                  how,
                  OPEN_HOW.byteSize());
      if (result >= 0) {
        return (int) result;
      }
      int error = (int) ERRNO.get(state, 0L);
      if (error == ENOENT) {
        throw new NoSuchFileException(name);
      }
      throw new IOException("cannot open " + name + " (errno " + error + ")");
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("openat2", e);
    }
  }

  private static void closeDescriptor(int descriptor) {
    try {
      int ignored = (int) CLOSE.invokeExact(descriptor);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("close", e);
    }
  }
}
