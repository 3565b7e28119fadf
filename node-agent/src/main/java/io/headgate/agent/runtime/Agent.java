package io.headgate.agent.runtime;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.AttemptState;
import io.headgate.agent.core.AttemptUse;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.JobProgress;
import io.headgate.agent.core.LeadershipHistory;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.kubernetes.PodRequest;
import io.headgate.agent.kubernetes.PodSettings;
import io.headgate.agent.process.AttemptLogs;
import io.headgate.agent.process.Cgroups;
import io.headgate.agent.process.SupervisorSpec;
import io.headgate.agent.runtime.attempt.CheckpointRoots;
import io.headgate.agent.runtime.attempt.GangNetwork;
import io.headgate.agent.runtime.attempt.JobLimits;
import io.headgate.agent.runtime.attempt.VisibleFiles;
import io.headgate.agent.runtime.host.ContainerUse;
import io.headgate.agent.runtime.host.JobWalls;
import io.headgate.agent.runtime.ledger.AgentNames;
import io.headgate.agent.runtime.ledger.Retention;
import io.headgate.agent.runtime.output.OutputReceiver;
import io.headgate.agent.runtime.telemetry.AgentInstruments;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.agent.runtime.watch.MemoryWatch;
import io.headgate.kit.time.TimeSource;
import io.headgate.type.ImageRules;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// The agent without its connection: the attempts of this machine, their records and supervisors.
public final class Agent implements AutoCloseable {
  private final AgentPorts ports;
  private final AgentLoop loop;

  /// The settings of an agent.
  ///
  /// @param name tells it from other agents on the machine
  /// @param data its own directory
  /// @param checkpoints roots of the jobs' checkpoint directories
  /// @param logs how much output of each stream is kept
  /// @param keep how much of ended attempts is kept
  /// @param watch how the agent enforces the device memory of jobs
  /// @param walls how jobs are walled off
  /// @param containers for jobs with an image
  /// @param pods how jobs are run as pods; empty: they are the machine's processes
  /// @param gangs how workers of gangs reach each other
  /// @param bootId of the running kernel; another one only in tests
  public record Settings(
      String name,
      Path data,
      CheckpointRoots checkpoints,
      SupervisorSpec.Logs logs,
      Retention.Limits keep,
      MemoryWatch.Settings watch,
      JobWalls.Settings walls,
      ContainerUse containers,
      Optional<PodSettings> pods,
      GangNetwork.Settings gangs,
      String bootId) {
    /// These settings on a machine that jobs share; empty: as they are.
    public Settings on(Optional<JobLimits.Capacity> machine) {
      return new Settings(
          name,
          data,
          checkpoints,
          logs,
          keep,
          watch,
          machine.map(walls::on).orElse(walls),
          containers,
          pods,
          gangs,
          bootId);
    }
  }

  /// An update on its way to the scheduler.
  public record Update(long sequence, AttemptReport report) {}

  /// An agent that reaches its machine through the ports.
  ///
  /// @param name of its thread
  public Agent(String name, AgentPorts ports) {
    this.ports = ports;
    this.loop = new AgentLoop(name, ports);
  }

  /// Opens the data directory; nothing runs yet.
  ///
  /// @param devices of the driver; the caller starts it and directs its findings to this agent
  /// @param output gets what jobs print; empty: it stays on this machine
  public static Agent open(
      Settings settings,
      GpuDriver driver,
      DeviceWatch devices,
      AgentInstruments instruments,
      Optional<OutputReceiver> output,
      TimeSource time)
      throws IOException {
    AgentPorts ports = MachinePorts.open(settings, driver, devices, instruments, output, time);
    Agent agent = new Agent(settings.name(), ports);
    instruments.observe(agent.loop::latestReports, driver::realisedSlices, ports.updates()::size);
    return agent;
  }

  /// The label that tells this agent's pods from those of all other agents.
  public static String podOwner(String name, Path data) {
    return PodRequest.digest(name + " " + data);
  }

  /// Where the jobs of an agent get their cgroups.
  ///
  /// @param data absolute
  /// @throws java.io.UncheckedIOException when it is unknown how the agent's cgroups are named
  public static Cgroups cgroups(String name, Path data) {
    return Cgroups.discover(AgentNames.load(data).cgroups(name));
  }

  /// Adopts attempts of an earlier agent, then serves.
  public void start() throws IOException {
    recover();
    loop.start();
    ports.resources().observe(loop::post);
  }

  /// Adopts attempts of an earlier agent. Used with [#turn] instead of [#start].
  public void recover() throws IOException {
    loop.recover();
  }

  /// Runs the next task on the caller's thread.
  ///
  /// @return false: none waits
  public boolean turn() {
    return loop.turn();
  }

  public void connect(ControlPlane controlPlane) {
    loop.connect(controlPlane);
  }

  /// Takes a command of the scheduler. Waits while too many wait already; see [AgentLoop#command].
  public void post(Input input) {
    loop.command(input);
  }

  /// Records contact with the control plane, which postpones the attempts' self-stop.
  ///
  /// @param bootMs until when a contact counts on this machine, by [BootClock]: the time at which
  ///   the answered message was sent, not the arrival of the answer
  public void contact(long bootMs) {
    loop.contact(bootMs);
  }

  /// The report of every attempt, taken after all inputs that were posted before.
  public CompletableFuture<List<AttemptReport>> reports() {
    return loop.reports();
  }

  /// Whether the loop takes inputs; false once it has been stuck for some seconds. One thread must
  /// ask again and again.
  public boolean isTurning() {
    return loop.isTurning();
  }

  public LeadershipHistory history() {
    return loop.latestHistory();
  }

  /// Whether the logs hold all output of the attempt, because its processes have ended.
  public boolean hasEnded(AttemptKey key) {
    return loop.latestReports().stream()
        .filter(report -> report.key().equals(key))
        .allMatch(report -> report.state().compareTo(AttemptState.RELEASING) >= 0);
  }

  /// UUIDs of devices on which nothing new can be placed. The list changes before an update that
  /// follows from the change is visible.
  public List<String> unusableDevices() {
    return loop.unusableDevices();
  }

  /// The latest progress of each program. An attempt's last progress is visible before the update
  /// of its end.
  public List<JobProgress> progress() {
    return ports.resources().progress();
  }

  /// The use that attempts have made of their slices. An attempt's last use is visible before the
  /// update of its end.
  public List<AttemptUse> uses() {
    return ports.resources().uses();
  }

  /// Updates after the sequence, oldest first.
  public List<Update> updatesAfter(long sequence, int limit) {
    return ports.updates().after(sequence, limit).stream()
        .map(entry -> new Update(entry.sequence(), entry.report()))
        .toList();
  }

  /// Removes updates up to the sequence: the scheduler has made them durable.
  public void acknowledge(long sequence) throws IOException {
    ports.updates().acknowledge(sequence);
  }

  /// Completes when the scheduler has acknowledged everything.
  public CompletableFuture<Void> delivered() {
    return ports.updates().emptied();
  }

  /// Whether the agent can run jobs with an image now.
  public boolean runsImages() {
    return ports.resources().runsImages();
  }

  /// The images that may run here.
  public ImageRules imageRules() {
    return ports.resources().imageRules();
  }

  /// Which files of the machine its jobs see; empty: not known.
  public Optional<VisibleFiles> visibleFiles() {
    return ports.resources().visibleFiles();
  }

  /// The output of an attempt; empty when this machine has none.
  public Optional<AttemptLogs> openLogs(AttemptKey key) throws IOException {
    return ports.resources().openLogs(key);
  }

  /// Stops every job with its callback; completes when none is left, exceptionally if it is closed
  /// before.
  public CompletableFuture<Void> stopAll() {
    return loop.stopAll();
  }

  /// Whether it was told to stop every job. This is visible before any update of that stop.
  public boolean isClosing() {
    return loop.isClosing();
  }

  /// Completes, exceptionally, if the agent cannot continue.
  public CompletableFuture<Void> failure() {
    return loop.failure();
  }

  /// Ends the loop and closes the records. The jobs run on under their supervisors.
  @Override
  public void close() throws IOException {
    loop.close();
    ports.updates().close();
    ports.resources().close();
  }
}
