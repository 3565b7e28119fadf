package io.headgate.scheduler.runtime.leadership;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.JobProgress;
import io.headgate.agent.process.AttemptLogs;
import io.headgate.agent.runtime.AgentPorts;
import java.util.List;
import java.util.Optional;

/// Ports of a [SimulatedAgent] behind which little happens.
final class SimulatedPorts {
  static final AgentPorts.Watcher WATCHER = new Unwatched();

  private SimulatedPorts() {}

  private static final class Unwatched implements AgentPorts.Watcher {
    @Override
    public void reported(AttemptReport report) {
      // This simulation measures nothing.
    }

    @Override
    public void forgot() {
      // Nothing is kept.
    }
  }

  record Programs(SimulatedMachine machine) implements AgentPorts.Resources {
    @Override
    public void recovered(Input.Recovered recovered) {
      // Nothing is kept.
    }

    @Override
    public List<JobProgress> progress() {
      return machine.progress();
    }

    @Override
    public Optional<AttemptLogs> openLogs(AttemptKey key) {
      return Optional.empty();
    }

    @Override
    public void close() {
      // There is nothing.
    }
  }
}
