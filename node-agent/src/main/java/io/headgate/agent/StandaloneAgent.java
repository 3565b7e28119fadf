package io.headgate.agent;

import io.headgate.agent.core.AbortCallback;
import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.AttemptState;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.JobName;
import io.headgate.agent.core.Leadership;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.core.StopOrder;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.GpuUnavailableException;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.BootClock;
import io.headgate.agent.process.Cgroups;
import io.headgate.agent.qualify.Bench;
import io.headgate.agent.qualify.Polling;
import io.headgate.agent.runtime.Agent;
import io.headgate.agent.runtime.telemetry.AgentInstruments;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An agent on this machine without a control plane; its opener gives it jobs.
final class StandaloneAgent implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StandaloneAgent.class);
  private static final String NODE = "qualify";
  private static final Leadership HERE = new Leadership(NODE, 1, NODE);
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(60);

  /// The supervisor ends the job this long after its start, unless the bench ends it before.
  private static final Duration STOP_AFTER = Duration.ofMinutes(10);

  private final Path data;
  private final TimeSource time;
  private final Cgroups cgroups;
  private final GpuDriver driver;
  private final DeviceWatch devices;
  private final Agent agent;

  /// Opens it on its data directory, where it adopts the attempts of an earlier agent.
  ///
  /// @throws GpuUnavailableException when there is no NVIDIA driver that works
  StandaloneAgent(AgentConfig config, TimeSource time) throws IOException {
    this.data = config.data().toAbsolutePath();
    this.time = time;
    this.cgroups = Agent.cgroups(NODE, data);
    try {
      this.driver = GpuDrivers.nvml(config, cgroups, false);
    } catch (GpuUnavailableException e) {
      cgroups.removeIfEmpty();
      throw e;
    }
    this.devices = new DeviceWatch(driver, config.gpu().health().interval(), time);
    try {
      this.agent =
          Agent.open(
              NodeAgent.settings(config, NODE, BootClock.bootId()),
              driver,
              devices,
              new AgentInstruments(Telemetry.disabled(), time, NODE),
              Optional.empty(),
              time);
      agent.start();
      agent.contact(BootClock.nowMs());
    } catch (IOException e) {
      driver.close();
      cgroups.removeIfEmpty();
      throw e;
    }
  }

  GpuDriver driver() {
    return driver;
  }

  /// Removes a slice that was made without a job, with the cgroup that was made for it.
  void release(SlicePlan plan) throws IOException {
    driver.release(plan);
    Optional<Path> cgroup = cgroups.of(plan.attempt().directoryName());
    if (cgroup.isPresent()) {
      Cgroups.killAndRemove(cgroup.get());
    }
  }

  static AttemptKey key(String job) {
    return new AttemptKey(new JobName(NODE, job), "", 1, 0);
  }

  void start(String job, SliceGrant part, List<String> command) {
    agent.post(
        new Input.Assigned(
            HERE,
            new Assignment(
                key(job),
                1,
                NODE,
                List.of(part),
                0,
                0,
                command,
                new TreeMap<>(),
                Optional.empty(),
                Optional.empty(),
                AbortCallback.NONE,
                GRACE,
                Optional.of(STOP_AFTER),
                "",
                false,
                IsolationLevel.NONE,
                NODE,
                Optional.empty(),
                Optional.empty(),
                false),
            time.instant()));
  }

  Bench.Job job(String name) {
    return new Supervised(key(name));
  }

  /// The lines a job printed, under any agent.
  static List<String> printed(Path data, AttemptKey key, String word) throws IOException {
    String text;
    try {
      text =
          Files.readString(
              data.resolve("attempts").resolve(key.directoryName()).resolve("logs/stdout.0"),
              StandardCharsets.UTF_8);
    } catch (NoSuchFileException _) {
      return List.of();
    }
    return text.substring(0, text.lastIndexOf('\n') + 1)
        .lines()
        .filter(line -> line.startsWith(word + " "))
        .map(line -> line.substring(word.length() + 1))
        .toList();
  }

  /// Ends its jobs before it closes.
  @Override
  public void close() throws IOException {
    try {
      agent.stopAll().get(STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.error("some jobs have not ended: {}", e.toString());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    devices.close();
    agent.close();
    driver.close();
  }

  /// A job of this agent.
  private final class Supervised implements Bench.Job {
    private final AttemptKey key;

    Supervised(AttemptKey key) {
      this.key = key;
    }

    @Override
    public List<String> printed(String word) throws IOException {
      return StandaloneAgent.printed(data, key, word);
    }

    @Override
    public Optional<AttemptReport.End> end() throws IOException, InterruptedException {
      try {
        return agent.reports().get(STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS).stream()
            .filter(report -> report.key().equals(key) && report.state() == AttemptState.ENDED)
            .findFirst()
            .flatMap(AttemptReport::end);
      } catch (ExecutionException | TimeoutException e) {
        throw new IOException("the agent does not answer", e);
      }
    }

    @Override
    public boolean hasSlice() {
      return driver.realisedSlices().stream().map(SlicePlan::attempt).anyMatch(key::equals);
    }

    @Override
    public void close() throws IOException {
      agent.post(
          new Input.StopOrdered(
              HERE, key, new StopOrder(StopOrder.Kind.CANCEL, true), time.instant()));
      try {
        if (!Polling.until(STOP_PATIENCE, () -> end().isPresent())) {
          throw new IOException("the job " + key + " does not end");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while the job " + key + " ended", e);
      }
    }
  }
}
