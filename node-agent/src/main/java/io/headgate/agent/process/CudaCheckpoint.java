package io.headgate.agent.process;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// NVIDIA's `cuda-checkpoint`: moves what one process has of GPUs to its main memory, lets the GPUs
/// go, and takes that back. It asks the driver to, from 570 on step by step.
///
/// @param program its path
/// @param timeout how long all of a suspension, or of its end, may take
public record CudaCheckpoint(Path program, Duration timeout) {
  private static final int MAX_ANSWER = 4096;

  /// In its environment, with the process that it is about.
  private static final String MARK = "HEADGATE_CHECKPOINT_PID";

  /// The state of a process, as the driver reports it.
  public enum State {
    RUNNING,
    /// Its calls of CUDA wait.
    LOCKED,
    /// It has nothing of any GPU.
    CHECKPOINTED,
    /// The driver could not; it is of no use any more.
    FAILED
  }

  /// Whether it is on this machine.
  public boolean isThere() {
    return Files.isExecutable(program);
  }

  /// How the process stands; an error also if it does not use CUDA.
  public State state(long pid, Duration patience) throws IOException, InterruptedException {
    String answer = run(pid, patience, "--get-state").strip();
    try {
      return State.valueOf(answer.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException _) {
      throw new IOException("%s printed \"%s\" about process %d".formatted(program, answer, pid));
    }
  }

  /// Makes the process's calls of CUDA wait, once its earlier calls have ended.
  public void lock(long pid, Duration patience) throws IOException, InterruptedException {
    String wait = Long.toString(patience.toMillis());
    var _ = run(pid, patience, "--action", "lock", "--timeout", wait);
  }

  /// Moves the GPU memory of a locked process to main memory.
  public void checkpoint(long pid, Duration patience) throws IOException, InterruptedException {
    var _ = run(pid, patience, "--action", "checkpoint");
  }

  /// Moves that back, to the same GPUs; it is locked then.
  public void restore(long pid, Duration patience) throws IOException, InterruptedException {
    var _ = run(pid, patience, "--action", "restore");
  }

  /// Lets it use CUDA again.
  public void unlock(long pid, Duration patience) throws IOException, InterruptedException {
    var _ = run(pid, patience, "--action", "unlock");
  }

  /// The programs that an agent, perhaps an earlier one, started for these processes and that still
  /// run.
  public List<ProcessHandle> at(Collection<Long> pids) throws IOException {
    return MarkedProcesses.findAny(pids.stream().map(pid -> MARK + "=" + pid).toList());
  }

  private String run(long pid, Duration patience, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    command.addAll(List.of("--pid", Long.toString(pid)));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectInput(new File("/dev/null"));
    builder.environment().clear();
    builder.environment().put("PATH", FreshProgram.PATH);
    builder.environment().put(MARK, Long.toString(pid));
    Process process = FreshProgram.start(builder);
    CompletableFuture<String> answer = new CompletableFuture<>();
    Thread.startVirtualThread(() -> answer.complete(read(process.getInputStream())));
    if (!process.waitFor(Math.max(1, patience.toMillis()), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly();
      throw new IOException("%s took too long".formatted(String.join(" ", command)));
    }
    if (process.exitValue() != 0) {
      throw new IOException(
          "%s: %s"
              .formatted(String.join(" ", command), text(answer).strip().replaceAll("\\s+", " ")));
    }
    return text(answer);
  }

  /// Waits at most one second: another process may still hold the output open.
  private static String text(CompletableFuture<String> answer) {
    return answer.completeOnTimeout("", 1, TimeUnit.SECONDS).join();
  }

  private static String read(InputStream stream) {
    try (stream) {
      return new String(stream.readNBytes(MAX_ANSWER), StandardCharsets.UTF_8);
    } catch (IOException _) {
      return "";
    }
  }
}
