package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/// Wall clocks of processes, which a test can set while a process runs. A preloaded library adds
/// the offset in a file to the kernel's time. Monotonic clocks are not changed.
final class Clocks {
  private static final String SOURCE =
      """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <stdint.h>
      #include <stdlib.h>
      #include <sys/mman.h>
      #include <sys/syscall.h>
      #include <sys/time.h>
      #include <time.h>
      #include <unistd.h>

      static const volatile int64_t *wrong_by_seconds;

      __attribute__((constructor)) static void map_offset(void) {
        int file = open(getenv("WRONG_CLOCK"), O_RDONLY | O_CLOEXEC);
        void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
        if (mapped == MAP_FAILED) abort();
        wrong_by_seconds = mapped;
        close(file);
      }

      int clock_gettime(clockid_t clock, struct timespec *now) {
        int result = (int)syscall(SYS_clock_gettime, clock, now);
        if (result == 0 && wrong_by_seconds
            && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
          now->tv_sec += *wrong_by_seconds;
        return result;
      }

      int gettimeofday(struct timeval *restrict now, void *restrict zone) {
        struct timespec exact;
        (void)zone;
        clock_gettime(CLOCK_REALTIME, &exact);
        now->tv_sec = exact.tv_sec;
        now->tv_usec = exact.tv_nsec / 1000;
        return 0;
      }

      time_t time(time_t *now) {
        struct timespec exact;
        clock_gettime(CLOCK_REALTIME, &exact);
        if (now) *now = exact.tv_sec;
        return exact.tv_sec;
      }
      """;

  private final Path directory;
  private final Path library;

  private Clocks(Path directory, Path library) {
    this.directory = directory;
    this.library = library;
  }

  /// @param directory for the library and a file for each clock
  static Clocks in(Path directory) throws IOException, InterruptedException {
    Files.createDirectories(directory);
    Path source = Files.writeString(directory.resolve("clock.c"), SOURCE);
    Path library = directory.resolve("clock.so");
    assertThat(
            new ProcessBuilder(
                    "cc", "-shared", "-fPIC", "-o", library.toString(), source.toString())
                .inheritIO()
                .start()
                .waitFor())
        .as("cc")
        .isZero();
    return new Clocks(directory, library);
  }

  /// Environment variables that give a process a settable clock.
  Map<String, String> of(String process) {
    if (!Files.exists(file(process))) {
      set(process, Duration.ZERO);
    }
    return Map.of("LD_PRELOAD", library.toString(), "WRONG_CLOCK", file(process).toString());
  }

  /// From now on the process's clock is wrong by this offset.
  void set(String process, Duration wrongBy) {
    // Little-endian and in place, because the process has the file mapped.
    try (RandomAccessFile file = new RandomAccessFile(file(process).toFile(), "rw")) {
      file.writeLong(Long.reverseBytes(wrongBy.toSeconds()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path file(String process) {
    return directory.resolve(process + ".clock");
  }
}
