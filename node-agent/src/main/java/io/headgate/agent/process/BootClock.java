package io.headgate.agent.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// The kernel's boot clock, which the supervisors use too. It rises by real time, also while the
/// machine sleeps, and no program can set it.
///
/// The kernel itself is asked: in some containers `/proc/uptime` tells of the container instead,
/// and then agent and supervisor would mean different times.
@SuppressWarnings("restricted")
public final class BootClock {
  private static final int CLOCK_BOOTTIME = 7;
  private static final StructLayout TIMESPEC =
      MemoryLayout.structLayout(
          ValueLayout.JAVA_LONG.withName("seconds"), ValueLayout.JAVA_LONG.withName("nanos"));
  private static final MethodHandle CLOCK_GETTIME =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("clock_gettime"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private BootClock() {}

  /// Milliseconds since the machine started, rounded down.
  public static long nowMs() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment time = arena.allocate(TIMESPEC);
      if ((int) CLOCK_GETTIME.invokeExact(CLOCK_BOOTTIME, time) != 0) {
        throw new IllegalStateException("this kernel has no boot clock");
      }
      return time.get(ValueLayout.JAVA_LONG, 0) * 1000
          + time.get(ValueLayout.JAVA_LONG, Long.BYTES) / 1_000_000;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("clock_gettime", e);
    }
  }

  /// Names this run of the kernel: a new one proves that nothing of the last runs any more.
  public static String bootId() {
    return read(BOOT_ID).strip();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file + "; Headgate's agent needs Linux", e);
    }
  }
}
