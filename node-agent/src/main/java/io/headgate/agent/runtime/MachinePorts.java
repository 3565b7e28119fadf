package io.headgate.agent.runtime;

import io.headgate.agent.container.Containers;
import io.headgate.agent.container.SliceDevices;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.AttemptUse;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.JobProgress;
import io.headgate.agent.core.MemoryMeter;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.kubernetes.Fabric8Pods;
import io.headgate.agent.kubernetes.PodApi;
import io.headgate.agent.kubernetes.PodSettings;
import io.headgate.agent.process.AttemptLogs;
import io.headgate.agent.process.Cgroups;
import io.headgate.agent.process.DurableFile;
import io.headgate.agent.process.SupervisorBinary;
import io.headgate.agent.process.SupervisorLauncher;
import io.headgate.agent.runtime.attempt.AttemptContext;
import io.headgate.agent.runtime.attempt.GangNetwork;
import io.headgate.agent.runtime.attempt.MainMemory;
import io.headgate.agent.runtime.attempt.SupervisedAttempt;
import io.headgate.agent.runtime.attempt.VisibleFiles;
import io.headgate.agent.runtime.attempt.WorkloadRuntime;
import io.headgate.agent.runtime.host.ContainerSupply;
import io.headgate.agent.runtime.host.HostRuntime;
import io.headgate.agent.runtime.host.JobDisk;
import io.headgate.agent.runtime.host.JobWalls;
import io.headgate.agent.runtime.ledger.AgentNames;
import io.headgate.agent.runtime.ledger.AttemptLedger;
import io.headgate.agent.runtime.ledger.JobUsers;
import io.headgate.agent.runtime.ledger.Outbox;
import io.headgate.agent.runtime.ledger.Retention;
import io.headgate.agent.runtime.output.OutputExport;
import io.headgate.agent.runtime.output.OutputReceiver;
import io.headgate.agent.runtime.pod.PodRuntime;
import io.headgate.agent.runtime.telemetry.AgentInstruments;
import io.headgate.agent.runtime.telemetry.Enforcement;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.agent.runtime.watch.JobMeter;
import io.headgate.agent.runtime.watch.MemoryWatch;
import io.headgate.agent.runtime.watch.ProgressWatch;
import io.headgate.agent.runtime.watch.UseWatch;
import io.headgate.kit.time.TimeSource;
import io.headgate.type.ImageRules;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// The machine that an agent runs on: its data directory, supervisors and devices.
final class MachinePorts {
  private MachinePorts() {}

  static AgentPorts open(
      Agent.Settings settings,
      GpuDriver driver,
      DeviceWatch devices,
      AgentInstruments instruments,
      Optional<OutputReceiver> receiver,
      TimeSource time)
      throws IOException {
    Path data = settings.data().toAbsolutePath();
    // Before the ledger, which makes the directory that marks a data directory as used.
    AgentNames names = AgentNames.load(data);
    JobUsers users = new JobUsers(settings.walls().firstUser(), settings.walls().userCount());
    AttemptLedger ledger = AttemptLedger.open(data, settings.bootId(), users);
    WorkloadRuntime runtime;
    Outbox outbox;
    try {
      driver.prepare(ledger.recover(time.instant()).heldDevices());
      DurableFile.makeDirectory(data.resolve("bin"));
      Path program = SupervisorBinary.extract(data.resolve("bin"));
      settings.checkpoints().makeOwn();
      runtime =
          settings.pods().isPresent()
              ? pods(settings, names, driver, ledger, program, time)
              : host(settings, names, driver, ledger, program);
      outbox = Outbox.open(data.resolve("outbox"), ledger.reserve());
    } catch (IOException | RuntimeException e) {
      ledger.close();
      throw e;
    }
    MemoryWatch watch =
        new MemoryWatch(
            driver,
            runtime.processes(),
            settings.watch(),
            () -> instruments.enforced(Enforcement.EXCESS_FOUND),
            time);
    UseWatch uses = new UseWatch(driver, runtime.processes(), memory(driver, watch), time);
    devices.onReading(uses::read);
    AttemptContext context =
        new AttemptContext(
            ledger,
            driver,
            runtime,
            MainMemory.ofMachine(),
            settings.containers().rules(),
            watch,
            devices,
            new ProgressWatch(),
            new JobMeter(runtime.processes()::usage),
            uses,
            new GangNetwork(settings.gangs()),
            receiver.map(to -> new OutputExport(ledger, to, time)),
            instruments,
            time);
    Retention retention = new Retention(ledger, time, settings.keep());
    return new AgentPorts(
        ledger,
        outbox,
        driver.devices(),
        (assignment, inputs) -> new SupervisedAttempt(context, assignment, inputs),
        watcher(instruments, retention),
        resources(context, retention),
        time);
  }

  /// The device memory that attempts have; on simulated devices, all that their slices allow.
  private static Supplier<List<MemoryMeter.Use>> memory(GpuDriver driver, MemoryWatch watch) {
    return driver.isSimulated()
        ? () ->
            driver.realisedSlices().stream()
                .map(plan ->
                    new MemoryMeter.Use(
                        plan.attempt(),
                        plan.grant().deviceUuid(),
                        plan.memoryLimitBytes(),
                        plan.memoryLimitBytes()))
                .toList()
        : watch::uses;
  }

  private static WorkloadRuntime host(
      Agent.Settings settings,
      AgentNames names,
      GpuDriver driver,
      AttemptLedger ledger,
      Path program)
      throws IOException {
    Path data = ledger.data();
    String name = names.cgroups(settings.name());
    Cgroups cgroups = Cgroups.discover(name);
    JobWalls walls = JobWalls.open(settings.walls(), name, program, cgroups, data);
    if (walls.areNamespaces()) {
      driver.jobsHaveMounts(program);
    }
    ContainerSupply containers = settings.containers().open(names.devices(name), walls);
    walls.openWay(data);
    walls.openWay(ledger.attempts());
    return new HostRuntime(
        ledger,
        driver,
        new SupervisorLauncher(program),
        cgroups,
        walls,
        JobDisk.open(settings.walls(), walls, program, data),
        containers,
        settings.checkpoints(),
        settings.logs());
  }

  private static WorkloadRuntime pods(
      Agent.Settings settings,
      AgentNames names,
      GpuDriver driver,
      AttemptLedger ledger,
      Path program,
      TimeSource time)
      throws IOException {
    PodSettings pods = settings.pods().orElseThrow();
    Containers.Settings containers = settings.containers().settings();
    return new PodRuntime(
        new PodRuntime.Parts(
            ledger,
            driver,
            connect(pods),
            pods,
            new SliceDevices(containers.cdi(), containers.lent(), names.devices(pods.agent())),
            program,
            settings.checkpoints(),
            settings.logs(),
            settings.walls().limits(),
            time));
  }

  private static PodApi connect(PodSettings pods) throws IOException {
    try {
      return Fabric8Pods.open(pods);
    } catch (NoClassDefFoundError e) {
      throw new IOException(
          "kubernetes.use takes a client that this archive leaves out; take one that was made with"
              + " -Pdist,kubernetes",
          e);
    }
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

  private static void observe(AttemptContext context) {
    if (!context.driver().devices().isEmpty() && !context.driver().isSimulated()) {
      context
          .instruments()
          .observeSlices(
              context.driver()::realisedSlices, context.watch()::uses, context.jobs()::queue);
    }
    context.instruments().observeJobs(context.jobs()::read);
  }

  private static AgentPorts.Resources resources(AttemptContext context, Retention retention) {
    observe(context);
    return new AgentPorts.Resources() {
      @Override
      public void recovered(Input.Recovered recovered) throws IOException {
        context.driver().recover(context.ledger().slices(recovered));
        context.runtime().recover(AttemptLedger.live(recovered));
        context.output().ifPresent(to -> to.start(AttemptLedger.live(recovered)));
        retention.begin();
      }

      @Override
      public void observe(Consumer<Input> inputs) {
        context.watch().start(inputs);
        context.progress().start();
      }

      @Override
      public List<JobProgress> progress() {
        return context.progress().all();
      }

      @Override
      public List<AttemptUse> uses() {
        return context.uses().all();
      }

      @Override
      public boolean runsImages() {
        return context.runtime().runsImages();
      }

      @Override
      public ImageRules imageRules() {
        return context.images();
      }

      @Override
      public Optional<VisibleFiles> visibleFiles() {
        return context.runtime().visibleFiles();
      }

      @Override
      public Optional<AttemptLogs> openLogs(AttemptKey key) throws IOException {
        return AttemptLogs.open(context.ledger().supervised(key));
      }

      @Override
      public void close() throws IOException {
        context.watch().close();
        context.progress().close();
        context.output().ifPresent(OutputExport::close);
        context.runtime().close();
        context.ledger().close();
      }
    };
  }
}
