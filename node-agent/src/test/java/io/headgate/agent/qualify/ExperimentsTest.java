package io.headgate.agent.qualify;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.EndReason;
import io.headgate.agent.process.BootClock;
import io.headgate.agent.qualify.Finding.Verdict;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Verdicts of the experiments on results that the fake libraries never produce.
///
/// `QualifyTest` covers all other results.
class ExperimentsTest {
  private static ScriptedBench bench(
      Map<String, List<String>> printed, Optional<EndReason> ended, boolean hasSlice) {
    return new ScriptedBench(printed, ended, hasSlice);
  }

  private static void fails(Finding finding, String why) {
    assertThat(finding.verdict()).isEqualTo(Verdict.FAILED);
    assertThat(finding.words()).contains(why);
  }

  @Test
  void whatAnAgentDoesNotTakeOverIsFound() throws Exception {
    CrashAdoption experiment = new CrashAdoption(Duration.ZERO);
    Map<String, List<String>> printed = Map.of("held", List.of("64 cap"));
    fails(
        experiment.run(bench(printed, Optional.of(EndReason.LOST), true)),
        "the job had ended with its agent");
    fails(experiment.run(bench(printed, Optional.empty(), false)), "but not its slice");
  }

  @Test
  void judgesByWhomAndWhenAnExcessWasEnded() throws Exception {
    String late = Long.toString(BootClock.nowMs() - 1500);
    Map<String, List<String>> printed =
        Map.of("held", List.of("41024 cap"), "passed", List.of(late));
    fails(
        new WatchIsQuick().run(bench(printed, Optional.of(EndReason.LIMIT_EXCEEDED), true)),
        "too late");
    fails(
        new WatchIsQuick().run(bench(printed, Optional.of(EndReason.EXITED), true)),
        "not by the watch: EXITED");
  }

  @Test
  void aProgramThatCannotUseTheGpuShowsNothing() throws Exception {
    ScriptedBench without =
        bench(
            Map.of("failed", List.of("dlopen libcuda.so.1: not there")),
            Optional.of(EndReason.EXITED),
            true);
    for (Experiment experiment :
        List.of(
            new ChildrenTogether(),
            new BypassFails(),
            new WatchIsQuick(),
            new ComputeShare(),
            new FaultsStay(Duration.ZERO),
            new CrashAdoption(Duration.ZERO))) {
      assertThat(experiment.run(without).verdict())
          .as(experiment.name())
          .isEqualTo(Verdict.NOT_SHOWN);
    }
  }

  @Test
  void aNeighbourThatStandsStillAfterTheFaultIsBroken() throws Exception {
    List<String> untilTheFault =
        new AbstractList<>() {
          private int lines;

          @Override
          public String get(int index) {
            return "0 0";
          }

          @Override
          public int size() {
            lines = Math.min(lines + 2, 6);
            return lines;
          }
        };
    Map<String, List<String>> printed =
        Map.of("spun", untilTheFault, "faulted", List.of("CUDA_ERROR_ILLEGAL_ADDRESS"));
    Finding finding = new FaultsStay(Duration.ZERO).run(bench(printed, Optional.empty(), true));
    assertThat(finding.verdict()).isEqualTo(Verdict.NOT_SHOWN);
    assertThat(finding.words()).contains("its neighbour broke too");
  }

  @Test
  void whatIsLeftIsNamed() throws Exception {
    ScriptedBench bench = bench(Map.of(), Optional.empty(), true);
    bench.strangers.add("process 1 (before)");
    NothingIsLeft experiment = new NothingIsLeft(bench.strangers(), Duration.ZERO);
    assertThat(experiment.run(bench).verdict()).isEqualTo(Verdict.PASSED);
    bench.strangers.add("process 2 (headgate-probe)");
    fails(experiment.run(bench), "on it is now process 2 (headgate-probe)");
  }
}
