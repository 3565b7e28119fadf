package io.headgate.deploy.simulate.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.deploy.simulate.openb.Machine;
import io.headgate.deploy.simulate.trace.TraceException;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.placement.StandardPlacement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReplayTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final String PODS =
      "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time";
  private static final List<Machine> MACHINES =
      List.of(
          new Machine("a", 96_000, 393_216, 8, "G2"),
          new Machine("b", 96_000, 393_216, 8, "G2"),
          new Machine("c", 104_000, 524_288, 2, "T4"));

  /// `count` tasks in a day, of all classes and sizes; more than the machines can run at once.
  private static List<TimedPod> pods(int count, long seed) throws TraceException {
    Random random = new Random(seed);
    List<String> lines = new ArrayList<>();
    lines.add(PODS);
    for (int i = 0; i < count; i++) {
      int gpus = List.of(0, 1, 1, 1, 1, 2, 4, 8).get(random.nextInt(8));
      int milli = gpus == 0 ? 0 : gpus == 1 && random.nextBoolean() ? 460 : 1000;
      String qos = List.of("LS", "Guaranteed", "Burstable", "BE", "BE").get(random.nextInt(5));
      int created = random.nextInt(86_400);
      int runs = random.nextInt(20_000);
      lines.add(
          "p%d,%d,4096,%d,%d,,%s,%d,%d"
              .formatted(i, 2000 + 1000 * gpus, gpus, milli, qos, created, created + runs));
    }
    return TimedPod.parse(lines);
  }

  private static ReplayResult replay(List<TimedPod> pods, OpenbReplay.Options options)
      throws TraceException {
    return Replay.run(
        OpenbReplay.workload(MACHINES, pods, options), StandardPlacement.TIGHTEST_FIT, () -> 0);
  }

  private static OpenbReplay.Options options(PreemptWithin within) {
    return options(within, Duration.ofMinutes(10));
  }

  private static OpenbReplay.Options options(PreemptWithin within, Duration holdAfter) {
    return new OpenbReplay.Options(Duration.ZERO, 18, HOUR, holdAfter, within);
  }

  /// Jobs run for less than 6 h, so none counts as endless while too few of its queue have ended.
  @Test
  void betterClassesWaitLessWhereTheyTakeFromWorse() throws TraceException {
    List<TimedPod> pods = pods(400, 1);
    Duration holdAfter = HOUR.multipliedBy(6);
    ReplayResult taken = replay(pods, options(PreemptWithin.LOWER_PRIORITY, holdAfter));
    ReplayResult patient = replay(pods, options(PreemptWithin.NEVER, holdAfter));
    assertThat(taken.finished()).isEqualTo(400);
    assertThat(taken.checked().starts()).isGreaterThan(400);
    assertThat(taken.preemptions()).containsOnlyKeys(PreemptionRule.P9);
    assertThat(patient.preemptions()).isEmpty();
    assertThat(patient.lost().toString()).isEqualTo("0");
    assertThat(wait(taken, "LS")).isLessThan(wait(taken, "BE"));
    assertThat(wait(taken, "LS")).isLessThan(wait(patient, "LS"));
    assertThat(taken.utilisation().contended()).isBetween(0.5, 1.0);
    assertThat(taken.waits().keySet()).containsExactly("all", "gpus>=4", "BE", "BURSTABLE", "LS");
  }

  @Test
  void comparesExpectedStartsWithRealOnes() throws TraceException {
    Workload workload =
        OpenbReplay.workload(MACHINES, pods(400, 1), options(PreemptWithin.LOWER_PRIORITY));
    ReplayResult.Forecasts found =
        Replay.run(workload, StandardPlacement.TIGHTEST_FIT, () -> 0, 50).forecasts();
    assertThat(found.asked()).isEqualTo(50);
    assertThat(found.unknown()).isLessThan(50);
    assertThat(found.medianError().orElseThrow()).isBetween(0.0, 1.0);
    assertThat(found.inTime()).isBetween(1, found.bounded());
  }

  private static double wait(ReplayResult result, String group) {
    return result.waits().get(group).mean();
  }

  @Test
  void countsWaitsUseAndLossOfTheTasksThatItPlays() throws TraceException {
    List<TimedPod> pods =
        TimedPod.parse(
            List.of(
                PODS,
                "old,1000,1,8,1000,,LS,50,60",
                "a,1000,1,8,1000,,BE,100,1100",
                "b,1000,1,8,1000,,LS,200,300",
                "huge,1000,1,9,1000,,BE,210,211"));
    OpenbReplay.Options options =
        new OpenbReplay.Options(
            Duration.ofSeconds(100), 8, Duration.ofSeconds(60), HOUR, PreemptWithin.LOWER_PRIORITY);
    ReplayResult result = replay(pods, options);
    // b takes from a at 100 s, whose last save was at 60 s, and starts when a has stopped at 130 s.
    assertThat(result.waits().get("LS")).isEqualTo(new ReplayResult.Waits(1, 30, 30, 30));
    assertThat(result.waits().get("BE")).isEqualTo(new ReplayResult.Waits(1, 100, 100, 100));
    assertThat(result.lost().toString()).isEqualTo("320");
    assertThat(result.usedGpuSeconds()).isEqualTo(8 * (130 + 100 + 940));
    assertThat(result.preemptions()).containsExactly(java.util.Map.entry(PreemptionRule.P9, 1));
    assertThat(result.finished()).isEqualTo(2);
    assertThat(result.neverFit()).isEqualTo(1);
    assertThat(result.leftOut()).isEqualTo(1);
    assertThat(result.utilisation().loaded()).isEqualTo(1);
    assertThat(result.utilisation().contendedTime()).isEqualTo(Duration.ofSeconds(130));
  }

  @Test
  void takesTheCommonestNodesFirstAndAsManyGpusAsAsked() throws TraceException {
    List<TimedPod> pods = pods(1, 1);
    OpenbReplay.Options two =
        new OpenbReplay.Options(Duration.ZERO, 10, HOUR, HOUR, PreemptWithin.NEVER);
    assertThat(OpenbReplay.workload(MACHINES, pods, two).scenario().nodes())
        .extracting(node -> node.id().name())
        .containsExactly("a", "c");
    OpenbReplay.Options odd =
        new OpenbReplay.Options(Duration.ZERO, 11, HOUR, HOUR, PreemptWithin.NEVER);
    assertThatThrownBy(() -> OpenbReplay.workload(MACHINES, pods, odd))
        .isInstanceOf(TraceException.class)
        .hasMessage("no nodes found with 11 GPUs together; 10 of them are");
    OpenbReplay.Options late =
        new OpenbReplay.Options(Duration.ofDays(9), 8, HOUR, HOUR, PreemptWithin.NEVER);
    assertThatThrownBy(() -> OpenbReplay.workload(MACHINES, pods, late))
        .hasMessage("no task was created on day 9 or later");
  }

  private static List<PhillyJob> jobs(int count, long seed) {
    Random random = new Random(seed);
    LocalDateTime begin = LocalDateTime.of(2017, 10, 9, 7, 1, 55);
    List<PhillyJob> jobs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String cluster = i % 40 == 0 ? "tiny" : List.of("x", "x", "y").get(random.nextInt(3));
      int gpus = List.of(1, 1, 1, 1, 2, 4, 8, 12, 16).get(random.nextInt(9));
      jobs.add(
          new PhillyJob(
              begin.plusSeconds(random.nextInt(200_000)),
              Duration.ofSeconds(random.nextInt(20_000)),
              gpus,
              cluster));
    }
    return jobs;
  }

  @Test
  void tenantsGetTheirReservationsBackAndGangsRun() throws TraceException {
    Workload workload =
        PhillyReplay.workload(
            jobs(600, 3), new PhillyReplay.Options(20, 2, HOUR, Duration.ofMinutes(10)));
    assertThat(workload.leftOut()).isEqualTo(15);
    assertThat(workload.scenario().catalog().policies())
        .extracting(policy -> Long.parseLong(policy.reservation().toString()))
        .hasSize(2)
        .allMatch(gpus -> gpus > 0)
        .satisfies(
            gpus -> assertThat(gpus.stream().mapToLong(Long::longValue).sum()).isEqualTo(20));
    ReplayResult result = Replay.run(workload, StandardPlacement.TIGHTEST_FIT, () -> 0);
    assertThat(result.finished()).isEqualTo(585);
    assertThat(result.neverFit()).isZero();
    assertThat(result.preemptions()).containsOnlyKeys(PreemptionRule.P1);
    assertThat(result.waits().keySet()).containsExactly("all", "gpus>=4", "x", "y");
    assertThat(result.utilisation().contended()).isBetween(0.5, 1.0);
    assertThat(result.checked().rests()).isGreaterThan(585);
  }

  @Test
  void dividesGangsIntoEqualWorkersThatFitANode() {
    assertThat(PhillyReplay.workers(8)).isEqualTo(1);
    assertThat(PhillyReplay.workers(12)).isEqualTo(2);
    assertThat(PhillyReplay.workers(13)).isEqualTo(13);
    assertThat(PhillyReplay.workers(128)).isEqualTo(16);
  }

  @Test
  void givesTheSameResultForTheSameTrace() throws TraceException {
    assertThat(replay(pods(150, 5), options(PreemptWithin.LOWER_PRIORITY)))
        .isEqualTo(replay(pods(150, 5), options(PreemptWithin.LOWER_PRIORITY)))
        .isNotEqualTo(replay(pods(150, 6), options(PreemptWithin.LOWER_PRIORITY)));
  }

  @Test
  void refusesALineThatItCannotUse() {
    refusesPod("a,1,1,1,1000,,XX,1,2", "qos is \"XX\"; it must be LS, Guaranteed, Burstable or BE");
    refusesPod(
        "a,1,1,1,1000,,BE,5,2",
        "deletion_time is \"2\"; it must be not before its creation_time, 5");
    refusesPod("a,1,1,1,1000,,BE,,2", "creation_time is \"\"; it must be a whole number");
    refusesJob(
        "2017-13-09 07:01:55,66.0,1,c",
        "timestamp is \"2017-13-09 07:01:55\"; it must be a time such as 2017-10-09 07:01:55");
    refusesJob(
        "2017-10-09 07:01:55,-1,1,c",
        "duration is \"-1\"; it must be seconds, from 0 to 1000000000");
    refusesJob("2017-10-09 07:01:55,1e5,1,c", "duration is \"1e5\"; it must be seconds, from 0 to");
    refusesJob(
        "2017-10-09 07:01:55,66.0,0,c", "num_gpus is \"0\"; it must be between 1 and 100000");
    refusesJob(
        "2017-10-09 07:01:55,66.0,1,", "cluster is \"\"; it must be the name of a virtual cluster");
    refusesJob("2017-10-09 07:01:55,66.0,1", "3 fields; there must be 4");
  }

  private static void refusesPod(String line, String message) {
    assertThatThrownBy(() -> TimedPod.parse(List.of(PODS, line)))
        .isInstanceOf(TraceException.class)
        .hasMessage("line 2: " + message);
  }

  private static void refusesJob(String line, String message) {
    assertThatThrownBy(
            () -> PhillyJob.parse(List.of("timestamp,duration,num_gpus,cluster", line, "")))
        .isInstanceOf(TraceException.class)
        .hasMessageStartingWith("line 2: " + message);
  }
}
