package io.headgate.agent.qualify;

import io.headgate.agent.driver.GpuDriverException;
import io.headgate.kit.time.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// All experiments, in an order in which none disturbs another.
///
/// @param nvidiaSmi NVIDIA's own program, or its path
public record Qualification(String nvidiaSmi, TimeSource time) {
  private static final Duration SETTLING = Duration.ofSeconds(10);

  /// Does them all; each goes its way, whatever the others came to.
  ///
  /// @param noProbe why the probe does not run; empty: it does
  /// @param machine its properties, for the report
  /// @param begins told of each experiment by name
  public Report run(
      Bench bench, Optional<String> noProbe, Map<String, String> machine, Consumer<String> begins)
      throws InterruptedException {
    List<Report.Result> results = new ArrayList<>();
    for (Experiment experiment : experiments(bench.strangers())) {
      begins.accept(experiment.name());
      long begun = time.monotonicNanos();
      Finding finding;
      try {
        finding =
            noProbe.isPresent() && experiment.usesProbe()
                ? Finding.notShown(noProbe.get())
                : experiment.run(bench);
      } catch (GpuDriverException | IOException | IllegalStateException e) {
        finding = Finding.failed(String.valueOf(e.getMessage()));
      }
      results.add(result(experiment, finding, (time.monotonicNanos() - begun) / 1_000_000));
    }
    return new Report(machine, results);
  }

  /// The report of a machine on which no experiment is possible.
  ///
  /// @param why as the driver says it
  public Report without(String why, Map<String, String> machine) {
    return new Report(
        machine,
        experiments(List.of()).stream()
            .map(experiment -> result(experiment, Finding.notShown(why), 0))
            .toList());
  }

  private static Report.Result result(Experiment experiment, Finding finding, long millis) {
    return new Report.Result(
        experiment.name(), experiment.claim(), experiment.needs(), finding, millis);
  }

  private List<Experiment> experiments(List<String> strangers) {
    return List.of(
        new BindingsAgree(nvidiaSmi),
        new ProfileTable(),
        new MakeAndRemove(time),
        new LimitBites(),
        new ChildrenTogether(),
        new BypassFails(),
        new WatchIsQuick(),
        new ComputeShare(),
        new FaultsStay(Polling.LONG),
        new CrashAdoption(SETTLING),
        new NothingIsLeft(strangers, SETTLING));
  }
}
