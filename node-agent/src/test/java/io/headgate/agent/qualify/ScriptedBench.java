package io.headgate.agent.qualify;

import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.driver.simulated.SimulatedGpuDriver;
import io.headgate.agent.driver.simulated.SimulatedGpus;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/// A GPU whose jobs behave as a test says, where no fake library can behave so.
final class ScriptedBench implements Bench {
  private final GpuDriver driver = new SimulatedGpuDriver(SimulatedGpus.parse("1xH100"), "n1");
  final List<String> strangers = new ArrayList<>();
  private final Map<String, List<String>> printed;
  private final Optional<EndReason> ended;
  private final boolean hasSlice;

  /// @param printed lines by their first word
  /// @param ended how the job has ended; empty: it runs
  /// @param hasSlice whether the agent knows its slice
  ScriptedBench(Map<String, List<String>> printed, Optional<EndReason> ended, boolean hasSlice) {
    this.printed = printed;
    this.ended = ended;
    this.hasSlice = hasSlice;
  }

  @Override
  public GpuDriver driver() {
    return driver;
  }

  @Override
  public DeviceInfo gpu() {
    return driver.devices().getFirst();
  }

  @Override
  public SlicePlan plan(String job, int part) {
    SliceGrant half = new SliceGrant(0, gpu().uuid(), GpuQuantity.parse("1/2"), 0);
    return new SlicePlan(Fixtures.key(job), 0, half, "watched", IsolationLevel.REACTIVE, 40L << 30);
  }

  @Override
  public void release(SlicePlan plan) {
    driver.release(plan);
  }

  @Override
  public Job start(String job, int part, String... words) {
    return new Scripted();
  }

  @Override
  public Job startAndAdopt(String job, int part, String... words) {
    return new Scripted();
  }

  @Override
  public List<String> strangers() {
    return List.copyOf(strangers);
  }

  private final class Scripted implements Job {
    @Override
    public List<String> printed(String word) {
      return printed.getOrDefault(word, List.of());
    }

    @Override
    public Optional<AttemptReport.End> end() {
      return ended.map(reason ->
          new AttemptReport.End(reason, OptionalInt.empty(), Optional.empty(), Fixtures.NOW));
    }

    @Override
    public boolean hasSlice() {
      return hasSlice;
    }

    @Override
    public void close() {
      // It never ran.
    }
  }
}
