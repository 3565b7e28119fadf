package io.headgate.agent.driver.nvml;

import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.process.FreshProgram;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// NVIDIA's control program of MPS, which is the daemon as well as its client. May be used by
/// several threads, for one place by one at a time.
///
/// @param program its path
/// @param patience how long any call may take
record MpsControl(Path program, Duration patience) {
  private static final Logger LOG = LoggerFactory.getLogger(MpsControl.class);
  private static final Duration QUIT_PATIENCE = Duration.ofSeconds(2);
  private static final long PAUSE_MILLIS = 4;
  private static final int MAX_ANSWER = 2000;
  private static final List<String> V3 = List.of("-p", "3");

  /// The program's exit code and output.
  private record Answer(int code, String text) {}

  /// Starts the daemon of a place that was made, unless it lives. It outlives this process.
  ///
  /// @param gpuUuid the only GPU that it has
  /// @param mounts program that starts it with a `/dev/shm` that it shares with the job only;
  ///   empty: it uses the machine's
  /// @return whether it is new, and so has not received any settings
  /// @throws GpuDriverException when it does not live afterwards
  boolean start(MpsDirectory place, String gpuUuid, Optional<Path> mounts) {
    if (place.daemon().isPresent()) {
      return false;
    }
    List<String> command = new ArrayList<>();
    mounts.ifPresent(
        shm -> command.addAll(List.of(shm.toString(), "--shm", place.sharedMemory().toString())));
    command.addAll(List.of(program.toString(), "-d"));
    if (place.protocol() == MpsProtocol.V3) {
      command.addAll(V3);
      if (place.isRoots()) {
        // Each job is a user of its own, and none of them this one.
        command.add("-m");
      }
    }
    Answer answer = run(place, gpuUuid, command, "", patience);
    for (long pauses = pausesIn(patience); place.daemon().isEmpty(); pauses--) {
      // One that an agent began to start before it was killed is in the way, and soon found.
      boolean comes = answer.code == 0 || answer.text.contains("already running");
      if (!comes || pauses <= 0) {
        throw new GpuDriverException(
            "no MPS daemon could be started: %s %s".formatted(program, said(answer)));
      }
      pause();
    }
    return answer.code == 0;
  }

  /// Gives the daemon commands, one a line, and returns its answer to all of them.
  ///
  /// @throws GpuDriverException when it does not answer in time, or there is none
  String tell(MpsDirectory place, String gpuUuid, List<String> commands) {
    return tell(place, gpuUuid, commands, patience);
  }

  private String tell(MpsDirectory place, String gpuUuid, List<String> commands, Duration within) {
    String lines = String.join("\n", commands) + "\n";
    return obeyed(run(place, gpuUuid, List.of(program.toString()), lines, within));
  }

  /// Gives a daemon of the third protocol one command, and returns its answer.
  ///
  /// @throws GpuDriverException when it does not answer in time, or there is none
  String order(MpsDirectory place, String gpuUuid, List<String> words) {
    return order(place, gpuUuid, words, patience);
  }

  private String order(MpsDirectory place, String gpuUuid, List<String> words, Duration within) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(V3);
    command.addAll(words);
    return obeyed(run(place, gpuUuid, command, "", within));
  }

  private static String obeyed(Answer answer) {
    if (answer.code != 0) {
      throw new GpuDriverException("the MPS daemon refused a command: " + said(answer));
    }
    return answer.text;
  }

  /// Ends the daemon and all that belongs to it, and removes its place. Repeated until it returns.
  ///
  /// @throws GpuDriverException when something does not end, not even when it is killed
  void stop(MpsDirectory place) {
    if (!place.isThere() && place.processes().isEmpty()) {
      return;
    }
    if (place.daemon().isPresent()) {
      try {
        quit(place, shorter(QUIT_PATIENCE, patience));
      } catch (GpuDriverException e) {
        LOG.warn("killing the MPS daemon in {}: {}", place.directory(), e.getMessage());
        place.processes().forEach(ProcessHandle::destroyForcibly);
      }
    } else {
      // Servers that outlive their daemon receive no command to end, so they are killed.
      place.processes().forEach(ProcessHandle::destroyForcibly);
    }
    if (!isEmptyWithin(place, shorter(QUIT_PATIENCE, patience))) {
      place.processes().forEach(ProcessHandle::destroyForcibly);
      if (!isEmptyWithin(place, patience)) {
        throw new GpuDriverException(
            "processes %s of the MPS daemon in %s do not end when they are killed"
                .formatted(
                    place.processes().stream().map(ProcessHandle::pid).toList(),
                    place.directory()));
      }
    }
    try {
      place.delete();
    } catch (IOException e) {
      throw new GpuDriverException("the directory of an MPS daemon cannot be removed: " + e);
    }
  }

  private void quit(MpsDirectory place, Duration within) {
    switch (place.protocol()) {
      case V2 -> tell(place, "", List.of("quit"), within);
      case V3 -> order(place, "", List.of("-q"), within);
    }
  }

  private static boolean isEmptyWithin(MpsDirectory place, Duration time) {
    for (long pauses = pausesIn(time); !place.processes().isEmpty(); pauses--) {
      if (pauses <= 0) {
        return false;
      }
      pause();
    }
    return true;
  }

  /// Through files, because a daemon may keep the streams open with which it was started.
  private Answer run(
      MpsDirectory place, String gpuUuid, List<String> command, String input, Duration within) {
    Path question = place.log().resolve("headgate.question");
    Path answer = place.log().resolve("headgate.answer");
    try {
      Files.writeString(question, input);
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectInput(question.toFile())
              .redirectErrorStream(true)
              .redirectOutput(answer.toFile());
      builder.environment().clear();
      builder.environment().put("PATH", FreshProgram.PATH);
      builder.environment().put("CUDA_VISIBLE_DEVICES", gpuUuid);
      builder.environment().put("CUDA_MPS_LOG_DIRECTORY", place.log().toString());
      builder.environment().put(MpsDirectory.PIPE_VARIABLE, place.pipe().toString());
      Process process = FreshProgram.start(builder);
      if (!process.waitFor(within.toNanos(), TimeUnit.NANOSECONDS)) {
        process.destroyForcibly();
        throw new GpuDriverException(
            "%s has not answered for %s s".formatted(program, within.toMillis() / 1000.0));
      }
      try (InputStream text = Files.newInputStream(answer)) {
        return new Answer(
            process.exitValue(),
            new String(text.readNBytes(MAX_ANSWER), StandardCharsets.UTF_8).strip());
      }
    } catch (IOException e) {
      throw new GpuDriverException("%s does not run: %s".formatted(program, e.getMessage()));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new GpuDriverException("interrupted while waiting for " + program);
    }
  }

  private static String said(Answer answer) {
    return "ended with %d%s"
        .formatted(answer.code, answer.text.isEmpty() ? "" : ": " + answer.text);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /// Counted and not timed; to look around between them may take as long again.
  private static long pausesIn(Duration time) {
    return time.toMillis() / PAUSE_MILLIS;
  }

  private static void pause() {
    try {
      // Nothing tells of the end or the beginning of a process that is not a child.
      var _ = new CountDownLatch(1).await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new GpuDriverException("interrupted while waiting for an MPS daemon");
    }
  }
}
