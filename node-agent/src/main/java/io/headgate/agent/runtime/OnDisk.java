package io.headgate.agent.runtime;

import io.headgate.agent.container.Containers;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.JobProgress;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.process.AttemptLogs;
import io.headgate.agent.process.Cgroups;
import io.headgate.agent.process.DurableFile;
import io.headgate.agent.process.SupervisorBinary;
import io.headgate.agent.process.SupervisorLauncher;
import io.headgate.kit.time.TimeSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// The machine that an agent runs on: its data directory, supervisors and devices.
final class OnDisk {
  private OnDisk() {}

  static AgentPorts open(
      Agent.Settings settings,
      GpuDriver driver,
      DeviceWatch devices,
      AgentInstruments instruments,
      TimeSource time)
      throws IOException {
    Path data = settings.data().toAbsolutePath();
    JobUsers users = new JobUsers(settings.walls().firstUser(), settings.walls().userCount());
    Ledger ledger = Ledger.open(data, settings.bootId(), users);
    Cgroups cgroups = Agent.cgroups(settings.name(), data);
    Path program;
    JobWalls walls;
    Optional<Containers> containers;
    Outbox outbox;
    try {
      DurableFile.makeDirectory(data.resolve("bin"));
      program = SupervisorBinary.extract(data.resolve("bin"));
      String name = Agent.nameOnMachine(settings.name(), data);
      walls = JobWalls.open(settings.walls(), name, program, cgroups, data);
      if (walls.areNamespaces()) {
        driver.jobsHaveMounts(program);
      }
      containers = settings.containers().open(name, walls);
      walls.openWay(data);
      walls.openWay(ledger.attempts());
      outbox = Outbox.open(data.resolve("outbox"), ledger.reserve());
    } catch (IOException | RuntimeException e) {
      ledger.close();
      throw e;
    }
    Machine machine =
        new Machine(
            ledger,
            driver,
            new SupervisorLauncher(program),
            cgroups,
            walls,
            containers,
            settings.checkpoints().toAbsolutePath(),
            settings.logs(),
            settings.watch(),
            devices,
            new ProgressWatch(),
            instruments,
            time);
    Retention retention = new Retention(ledger, time, settings.keep());
    return new AgentPorts(
        ledger,
        outbox,
        driver.devices(),
        (assignment, inputs) -> new AttemptProcess(machine, assignment, inputs),
        watcher(instruments, retention),
        resources(machine, retention),
        time);
  }

  private static AgentPorts.Watcher watcher(AgentInstruments instruments, Retention retention) {
    return new AgentPorts.Watcher() {
      @Override
      public void reported(AttemptReport report) {
        instruments.reported(report);
      }

      @Override
      public void forgot() {
        retention.forgot();
      }
    };
  }

  private static AgentPorts.Resources resources(Machine machine, Retention retention) {
    MemoryWatch watch = new MemoryWatch(machine);
    if (!machine.driver().devices().isEmpty() && !machine.driver().isSimulated()) {
      machine.instruments().observeSlices(watch::uses);
    }
    return new AgentPorts.Resources() {
      @Override
      public void recovered(Input.Recovered recovered) throws IOException {
        machine.driver().recover(machine.ledger().slices(recovered));
        if (machine.containers().isPresent()) {
          machine.containers().get().recover(Ledger.live(recovered));
        }
        retention.begin();
      }

      @Override
      public void observe(Consumer<Input> inputs) {
        watch.start(inputs);
        machine.progress().start();
      }

      @Override
      public List<JobProgress> progress() {
        return machine.progress().all();
      }

      @Override
      public boolean runsImages() {
        return machine.containers().isPresent();
      }

      @Override
      public Optional<AttemptLogs> openLogs(AttemptKey key) throws IOException {
        return AttemptLogs.open(machine.ledger().directory(key));
      }

      @Override
      public void close() throws IOException {
        watch.close();
        machine.progress().close();
        machine.cgroups().removeIfEmpty();
        machine.walls().close();
        machine.ledger().close();
      }
    };
  }
}
