package io.headgate.deploy.simulate.openb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.deploy.simulate.placement.BestFit;
import io.headgate.deploy.simulate.placement.RandomFit;
import io.headgate.deploy.simulate.trace.TraceException;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.StandardPlacement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class PackingProtocolTest {
  private static final PlacementPolicy ROLL_OUT = StandardPlacement.ROLL_OUT_FILL;

  /// 30 nodes of 8 GPUs, 20 of 2 with much CPU.
  private static List<Machine> fleet() {
    List<Machine> machines = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      machines.add(
          i < 30
              ? new Machine("big-" + i, 96_000, 393_216, 8, "G2")
              : new Machine("small-" + i, 96_000, 393_216, 2, "T4"));
    }
    return machines;
  }

  /// Parts that do not add up well, whole GPUs, gangs, and some that insist on a model.
  private static List<Pod> trace() {
    List<Pod> pods = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      pods.add(
          switch (i % 12) {
            case 0, 1, 2 -> pod(i, 1, 810);
            case 3, 4, 5 -> pod(i, 1, 470);
            case 6, 7, 8 -> pod(i, 1, 1000);
            case 9 -> pod(i, 2, 1000);
            case 10 -> pod(i, 8, 1000);
            default -> new Pod("pod-" + i, 8000, 4096, 1, 500, List.of("T4"));
          });
    }
    return pods;
  }

  private static Pod pod(int i, int gpus, int gpuMilli) {
    return new Pod("pod-" + i, 6000, 8192, gpus, gpuMilli, List.of());
  }

  private static PackingResult run(PlacementPolicy policy, long seed) {
    return PackingProtocol.run(fleet(), trace(), seed, 1.3, policy);
  }

  @Test
  void packsASmallFleetFullerThanEveryOtherPolicy() {
    for (long seed = 1; seed <= 3; seed++) {
      double rollOut = run(ROLL_OUT, seed).allocation().get(130);
      assertThat(rollOut).as("seed " + seed).isGreaterThan(94);
      assertThat(rollOut)
          .as("seed " + seed)
          .isGreaterThan(run(new BestFit(), seed).allocation().get(130))
          .isGreaterThan(run(StandardPlacement.LEAST_STRANDED, seed).allocation().get(130))
          .isGreaterThan(run(new RandomFit(seed), seed).allocation().get(130));
    }
  }

  @Test
  void givesTheSameForTheSameSeedAndAnotherForAnother() {
    assertThat(run(ROLL_OUT, 7)).isEqualTo(run(ROLL_OUT, 7)).isNotEqualTo(run(ROLL_OUT, 8));
  }

  @Test
  void measuresAtTheLoadsThatAreReached() {
    PackingResult result =
        PackingProtocol.run(fleet(), trace(), 1, 1.1, StandardPlacement.TIGHTEST_FIT);
    assertThat(result.allocation().keySet()).containsExactly(90, 95, 100, 110);
    assertThat(result.fragmentation().keySet()).containsExactly(90, 95, 100, 110);
    assertThat(result.placed()).isLessThan(result.arrived());
    assertThat(result.allocation().get(90)).isBetween(80.0, 90.5);
  }

  @Test
  void drawsTasksAgainUntilTheTargetIsReached() {
    List<Pod> trace = List.of(pod(1, 2, 1000), pod(2, 1, 500));
    List<Pod> arriving = ArrivalOrder.of(trace, 9_000, new Random(1));
    assertThat(arriving.subList(0, 2)).containsExactlyInAnyOrderElementsOf(trace);
    long sum = arriving.stream().mapToLong(Pod::totalGpuMilli).sum();
    // The last one may ask for one GPU more than was looked at.
    assertThat(sum).isBetween(8_001L, 10_000L);
  }

  @Test
  void leavesTasksOutOfATraceThatAsksForTooMuch() {
    List<Pod> arriving = ArrivalOrder.of(trace(), 10_000, new Random(1));
    assertThat(arriving.stream().mapToLong(Pod::totalGpuMilli).sum()).isLessThanOrEqualTo(10_000);
    assertThat(trace()).containsAll(arriving);
  }

  @Test
  void readsTraces() throws TraceException {
    assertThat(
            Machine.parse(List.of("sn,cpu_milli,memory_mib,gpu,model", "n0,64000,262144,2,P100")))
        .containsExactly(new Machine("n0", 64_000, 262_144, 2, "P100"));
    List<String> pods =
        List.of(
            "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos",
            "a,12000,16384,1,460,V100M32|G2,LS",
            "b,4000,1024,0,0,,BE");
    assertThat(Pod.parse(pods))
        .containsExactly(
            new Pod("a", 12_000, 16_384, 1, 460, List.of("G2", "V100M32")),
            new Pod("b", 4_000, 1_024, 0, 0, List.of()));
    assertThat(Pod.parse(List.of("name,cpu_milli,memory_mib,num_gpu,gpu_milli", "a,1,1,2,1000")))
        .containsExactly(new Pod("a", 1, 1, 2, 1000, List.of()));
  }

  @Test
  void refusesALineThatItCannotUse() {
    refuses("a,1,1,1,1200", "line 2: gpu_milli is \"1200\"; it must be between 0 and 1000");
    refuses("a,x,1,1,1000", "line 2: cpu_milli is \"x\"; it must be a whole number");
    refuses(
        "a,1,1,2,500",
        "line 2: gpu_milli is \"500\"; it must be 0 without GPU, 1 to 1000 with one, and 1000 with"
            + " several");
    refuses("a,1,1,1", "line 2: 4 fields; there must be 5");
    refuses(
        "a,1,1,1,1000\na,1,1,1,1000",
        "line 3: name is \"a\"; it must be a name that no other line has");
    assertThatThrownBy(() -> Machine.parse(List.of("sn,cpu_milli")))
        .hasMessage(
            "line 1: no column memory_mib; the columns sn, cpu_milli, memory_mib, gpu, model are"
                + " needed");
    assertThatThrownBy(() -> Pod.parse(List.of()))
        .hasMessage("line 1: nothing there; it must name the columns");
  }

  private static void refuses(String lines, String message) {
    List<String> all =
        ("name,cpu_milli,memory_mib,num_gpu,gpu_milli\n" + lines)
            .lines()
            .collect(Collectors.toList());
    assertThatThrownBy(() -> Pod.parse(all)).isInstanceOf(TraceException.class).hasMessage(message);
  }
}
