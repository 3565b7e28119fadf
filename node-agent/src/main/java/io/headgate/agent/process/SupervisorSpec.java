package io.headgate.agent.process;

import io.headgate.agent.core.JobEnvironment;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The task of a supervisor, as the files `spec`, `argv`, `env` and `callback` that it reads.
///
/// @param command program and arguments
/// @param environment the whole environment of the job
/// @param callback program and arguments of the abort callback; empty: none
/// @param onAbort path where the job may put a program while it runs; that program is its callback
///   if it has no other
/// @param directory working directory of both
/// @param note a line at the beginning of the job's error output; empty: none
/// @param cgroup a cgroup v2 directory made for this attempt
/// @param bootId the run of the kernel that the attempt belongs to
/// @param walls what stands between the job and the machine
/// @param limits times
/// @param logs how much output is kept
public record SupervisorSpec(
    List<String> command,
    SortedMap<String, String> environment,
    List<String> callback,
    Path onAbort,
    Path directory,
    Optional<String> note,
    Optional<Path> cgroup,
    String bootId,
    Walls walls,
    Limits limits,
    Logs logs) {
  /// The last one that is written.
  private static final String SPEC = "spec";

  private static final String ENVIRONMENT = "env";
  private static final String VALUES = "masked";
  private static final String LOG_SEGMENT_BYTES = "log_segment_bytes";

  /// More than a system lets a program have.
  private static final int MAX_ENVIRONMENT_BYTES = 16 << 20;

  /// The times of a job.
  ///
  /// @param timeLimit empty: none
  /// @param stopAfter how long the job runs on without contact before it is stopped; empty: for
  ///   ever
  /// @param contactBootMs the last contact before the start, by the boot clock
  /// @param timeLimitCallback how long the callback may take at the time limit
  /// @param callback how long it may take when the supervisor stops the job by itself otherwise
  /// @param grace time between SIGTERM and SIGKILL
  public record Limits(
      Optional<Duration> timeLimit,
      Optional<Duration> stopAfter,
      long contactBootMs,
      Duration timeLimitCallback,
      Duration callback,
      Duration grace) {}

  /// How much of a stream of output is kept.
  ///
  /// @param segmentBytes size of one file of a stream
  /// @param segments files kept of each stream
  public record Logs(long segmentBytes, int segments) {}

  public SupervisorSpec {
    command = List.copyOf(command);
    environment = new TreeMap<>(environment);
    callback = List.copyOf(callback);
    if (command.isEmpty()) {
      throw new IllegalArgumentException("a job needs a program");
    }
    requirePlain(command);
    requirePlain(callback);
    requirePlain(environment.values());
    if (note.filter(words -> words.indexOf('\n') >= 0).isPresent()) {
      throw new IllegalArgumentException("line break in the note " + note.get());
    }
    for (Path path : List.of(directory, onAbort)) {
      if (path.toString().indexOf('\n') >= 0) {
        throw new IllegalArgumentException("line break in the path " + path);
      }
    }
  }

  /// Writes the files, each as a whole: the launcher of an agent that was killed may be reading
  /// them. Not durable, because after a crash of the machine the attempt is over anyway.
  public void writeTo(Path attempt) throws IOException {
    writeTo(attempt, DurableFile::replaceVolatile);
  }

  /// The same for a supervisor that is not the agent's user.
  public void writeReadableTo(Path attempt) throws IOException {
    writeTo(attempt, DurableFile::replaceReadable);
  }

  /// Whether all of one was written there.
  public static boolean isWritten(Path attempt) {
    return Files.exists(attempt.resolve(SPEC), LinkOption.NOFOLLOW_LINKS);
  }

  @FunctionalInterface
  private interface Writer {
    void write(Path file, byte[] content) throws IOException;
  }

  private void writeTo(Path attempt, Writer writer) throws IOException {
    writer.write(attempt.resolve("argv"), join(command));
    writer.write(
        attempt.resolve(ENVIRONMENT),
        join(environment.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList()));
    List<String> masked = maskedValues();
    if (!masked.isEmpty()) {
      writer.write(attempt.resolve(VALUES), join(masked));
    }
    if (callback.isEmpty()) {
      Files.deleteIfExists(attempt.resolve("callback"));
    } else {
      writer.write(attempt.resolve("callback"), join(callback));
    }
    StringBuilder text = new StringBuilder();
    line(text, "directory", directory);
    line(text, "on_abort", onAbort);
    note.ifPresent(words -> line(text, "note", words));
    cgroup.ifPresent(path -> line(text, "cgroup", path));
    line(text, "boot_id", bootId);
    line(text, "time_limit_ms", millisOrNever(limits.timeLimit));
    line(text, "time_limit_callback_ms", limits.timeLimitCallback.toMillis());
    line(text, "stop_after_ms", millisOrNever(limits.stopAfter));
    line(text, "contact_boot_ms", limits.contactBootMs);
    line(text, "callback_ms", limits.callback.toMillis());
    line(text, "grace_ms", limits.grace.toMillis());
    line(text, LOG_SEGMENT_BYTES, logs.segmentBytes);
    line(text, "log_segments", logs.segments);
    walls.writeTo(text);
    writer.write(attempt.resolve(SPEC), text.toString().getBytes(StandardCharsets.UTF_8));
  }

  /// The size of the log segments of an attempt whose spec was written.
  ///
  /// @throws IOException also when the file is no spec: a job could have replaced it
  static long logSegmentBytes(Path attempt) throws IOException {
    try {
      String text = KeyValues.require(KeyValues.read(attempt, SPEC), LOG_SEGMENT_BYTES);
      long size = Long.parseLong(text);
      if (size < 1) {
        throw new NumberFormatException(size + " is less than 1");
      }
      return size;
    } catch (NumberFormatException e) {
      throw new IOException("the spec of " + attempt + " is damaged: " + e.getMessage(), e);
    }
  }

  /// The mask of the attempt's output: it hides the values of its variables that
  /// [JobEnvironment#MASKED] names. They lie in a file of their own, because the environment is
  /// deleted when the attempt ends, and its output is read longer.
  ///
  /// @throws IOException also when the file is none of these: a job could have replaced it
  static OutputMask mask(Path attempt) throws IOException {
    byte[] bytes;
    try (PinnedDirectory directory = PinnedDirectory.open(attempt);
        FileChannel file = directory.openFile(VALUES)) {
      if (file.size() > MAX_ENVIRONMENT_BYTES) {
        throw new IOException("the masked values of " + attempt + " are damaged: too large");
      }
      ByteBuffer content = ByteBuffer.allocate((int) file.size());
      while (content.hasRemaining() && file.read(content) >= 0) {
        // Until all is read.
      }
      bytes = Arrays.copyOf(content.array(), content.position());
    } catch (NoSuchFileException _) {
      return OutputMask.NONE;
    }
    return new OutputMask(List.of(new String(bytes, StandardCharsets.UTF_8).split("\0", -1)));
  }

  private List<String> maskedValues() {
    @Nullable String names = environment.get(JobEnvironment.MASKED);
    List<String> values = new ArrayList<>();
    for (String name : names == null ? new String[0] : names.split(",", -1)) {
      @Nullable String value = environment.get(name);
      if (value != null) {
        values.add(value);
      }
    }
    return values;
  }

  private static String millisOrNever(Optional<Duration> duration) {
    return duration.map(d -> Long.toString(d.toMillis())).orElse("never");
  }

  private static void line(StringBuilder text, String key, Object value) {
    text.append(key).append('=').append(value).append('\n');
  }

  private static byte[] join(List<String> strings) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (String string : strings) {
      bytes.writeBytes(string.getBytes(StandardCharsets.UTF_8));
      bytes.write(0);
    }
    return bytes.toByteArray();
  }

  private static void requirePlain(Iterable<String> strings) {
    for (String string : strings) {
      if (string.indexOf('\0') >= 0) {
        throw new IllegalArgumentException("NUL character in an argument or environment value");
      }
    }
  }
}
