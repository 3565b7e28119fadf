package io.headgate.agent.qualify;

import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.SlicePlan;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// A GPU with an agent, whose jobs are the probe.
///
/// It has two parts, 0 and 1, as large as each other and side by side.
public interface Bench {
  /// All GPUs of the machine.
  GpuDriver driver();

  /// The one that is experimented on.
  DeviceInfo gpu();

  /// How the part would be made for a job.
  ///
  /// @param job a name that no other has
  /// @throws io.headgate.agent.driver.GpuDriverException when it cannot be
  SlicePlan plan(String job, int part);

  /// Removes a slice that was made without a job.
  ///
  /// @throws io.headgate.agent.driver.GpuDriverException when its driver refuses that for now
  void release(SlicePlan plan) throws IOException;

  /// Starts the probe as a job.
  ///
  /// @param words of the probe, as `probe.c` says
  Job start(String job, int part, String... words) throws IOException;

  /// Has an agent in a process of its own start the probe as a job, kills that agent, and opens
  /// another agent that adopts the job.
  ///
  /// @throws IOException when no job came to run
  Job startAndAdopt(String job, int part, String... words) throws IOException, InterruptedException;

  /// Processes or instances on the GPU that Headgate did not bring there, each in words.
  List<String> strangers();

  /// The probe as a job.
  interface Job extends AutoCloseable {
    /// The lines that it printed so far that begin with the word, without that word.
    List<String> printed(String word) throws IOException;

    /// How it ended, once its slice is free.
    Optional<AttemptReport.End> end() throws IOException, InterruptedException;

    /// Why it came to nothing, in its own words or its agent's.
    default String failure() throws IOException, InterruptedException {
      List<String> own = printed("failed");
      return own.isEmpty()
          ? end().flatMap(AttemptReport.End::error).orElse("it says nothing")
          : String.join("; ", own);
    }

    /// Whether the driver of its agent knows its slice.
    boolean hasSlice();

    /// Stops it and waits for its end.
    ///
    /// @throws IOException when that does not come
    @Override
    void close() throws IOException;
  }
}
