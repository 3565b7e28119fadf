package io.headgate.agent.runtime;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.AttemptUse;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.JobProgress;
import io.headgate.agent.process.AttemptLogs;
import io.headgate.agent.runtime.attempt.AttemptRunner;
import io.headgate.agent.runtime.attempt.VisibleFiles;
import io.headgate.agent.runtime.ledger.AttemptRecords;
import io.headgate.agent.runtime.ledger.Updates;
import io.headgate.kit.time.TimeSource;
import io.headgate.type.ImageRules;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// The agent's access to its machine: real in production, simulated in tests.
public record AgentPorts(
    AttemptRecords records,
    Updates updates,
    List<DeviceInfo> devices,
    AttemptRunner.Factory runners,
    Watcher watcher,
    Resources resources,
    TimeSource time) {
  public AgentPorts {
    devices = List.copyOf(devices);
  }

  /// Notified by the loop of its actions; must not block.
  public interface Watcher {
    /// An update is durable.
    void reported(AttemptReport report);

    /// The record of one attempt more was forgotten.
    void forgot();
  }

  /// Parts of the machine that the loop opens and closes but does not decide about.
  public interface Resources extends Closeable {
    /// The records were read; nothing has come of them yet.
    void recovered(Input.Recovered recovered) throws IOException;

    /// The loop is ready: the machine reports from now on its own observations, if any.
    default void observe(Consumer<Input> inputs) {}

    /// The latest progress of each program.
    default List<JobProgress> progress() {
      return List.of();
    }

    /// The use that attempts have made of their slices.
    default List<AttemptUse> uses() {
      return List.of();
    }

    /// Whether it runs jobs with an image now.
    default boolean runsImages() {
      return false;
    }

    /// Which images may.
    default ImageRules imageRules() {
      return ImageRules.NONE;
    }

    /// Which files of the machine its jobs see; empty: not known.
    default Optional<VisibleFiles> visibleFiles() {
      return Optional.empty();
    }

    /// The output of an attempt; empty when this machine has none.
    Optional<AttemptLogs> openLogs(AttemptKey key) throws IOException;
  }
}
