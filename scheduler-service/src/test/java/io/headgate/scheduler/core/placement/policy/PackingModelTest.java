package io.headgate.scheduler.core.placement.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Each formula by hand. GPUs are in units of 1/126000.
class PackingModelTest {
  private static final int GPU = 126_000;
  private static final TaskClass HALF = task(1, GPU / 2, 0);
  private static final TaskClass ONE = task(1, GPU, 0);
  private static final TaskClass TWO = task(2, GPU, 0);
  private static final TaskClass NONE = task(0, 0, 1000);

  private static TaskClass task(int devices, int units, long cpuMillis, String... models) {
    return new TaskClass(devices, units, cpuMillis, List.of(models));
  }

  private static TaskMix even(TaskClass... tasks) {
    Map<TaskClass, Double> weights = new HashMap<>();
    Arrays.stream(tasks).forEach(task -> weights.put(task, 1.0));
    return TaskMix.of(weights);
  }

  private static Space space(TaskMix mix, long cpuMillis, int... units) {
    return new PackingModel(mix).space(cpuMillis, units, anyModels(units.length));
  }

  private static String[] anyModels(int count) {
    String[] models = new String[count];
    Arrays.fill(models, "A100");
    return models;
  }

  @Test
  void fillsASpaceWithEachHandAnew() {
    TaskMix mix = even(HALF, ONE);
    Space space = space(mix, 0, GPU / 2, GPU);
    // Class 0 is the half GPU, 1 the whole.
    NodePotential fill = new NodePotential(new TaskTable(mix), 3, new int[] {0, 0, 1, 1, 1, 0});
    // They serve 1 and 1.5 GPUs: 0.3 * ln((exp(1 / 0.3) + exp(1.5 / 0.3)) / 2).
    assertThat(fill.of(space, 0)).isCloseTo(1.34396 * GPU, within(1.0));
    assertThat(fill.of(space, 1)).isEqualTo(1.25 * GPU);
    assertThat(fill.of(space, 0.5)).isCloseTo(1.29698 * GPU, within(1.0));
  }

  @Test
  void passesOverWhatLacksCpuAndLetsOthersEatIt() {
    TaskMix mix = even(NONE, task(1, GPU, 2000));
    NodePotential fill = new NodePotential(new TaskTable(mix), 2, new int[] {0, 1, 1, 0});
    // The first hand spends 1 of 2.5 CPUs on the job without GPU, so the other lacks 1/2:
    // 0.3 * ln((1 + exp(1 / 0.3)) / 2).
    assertThat(fill.of(space(mix, 2500, GPU), 0)).isCloseTo(0.80257 * GPU, within(1.0));
  }

  @Test
  void fillsOnlyDevicesOfTheModelsOfATask() {
    TaskMix mix = even(task(1, GPU, 0, "H100"));
    PackingModel packing = new PackingModel(mix);
    assertThat(packing.fill(packing.space(0, new int[] {GPU, GPU}, new String[] {"A100", "H100"})))
        .isEqualTo(GPU);
  }

  @Test
  void losesNothingWhereNothingElseWouldHaveFitted() {
    PackingModel packing = new PackingModel(even(HALF, ONE));
    Space before = packing.space(0, new int[] {GPU / 4, GPU}, anyModels(2));
    Space after = packing.without(before, 0, 0, GPU / 5);
    assertThat(packing.fill(after)).isEqualTo(packing.fill(before)).isEqualTo(GPU);
  }

  @Test
  void countsAsStrandedWhatATaskCannotUse() {
    TaskMix mix = even(HALF, TWO);
    assertThat(new PackingModel(mix).stranded(space(mix, 0, GPU / 4, GPU))).isEqualTo(0.75 * GPU);
    TaskMix withoutGpu = even(HALF, NONE);
    // To the half GPU the quarter is stranded; to the job without GPU all.
    assertThat(new PackingModel(withoutGpu).stranded(space(withoutGpu, 9000, GPU / 4, GPU)))
        .isEqualTo(0.75 * GPU);
    TaskMix hungry = even(task(1, GPU, 2000));
    assertThat(new PackingModel(hungry).stranded(space(hungry, 1999, GPU))).isEqualTo(GPU);
  }

  @Test
  void keepsSpacesSortedWhateverIsTaken() {
    PackingModel packing = new PackingModel(even(HALF, ONE));
    Space space = packing.space(5000, new int[] {GPU / 4, GPU / 2, GPU}, anyModels(3));
    assertThat(packing.without(space, 1000, 2, GPU / 3))
        .isSameAs(packing.space(4000, new int[] {GPU / 4, GPU / 2, GPU * 2 / 3}, anyModels(3)));
    assertThat(packing.without(space, 1000, 2, GPU * 9 / 10))
        .isSameAs(packing.space(4000, new int[] {GPU / 10, GPU / 4, GPU / 2}, anyModels(3)));
    assertThat(packing.without(space, 0, 1, GPU / 2))
        .isSameAs(packing.space(5000, new int[] {GPU / 4, GPU}, anyModels(2)));
    assertThat(packing.withoutWhole(space, 5000, new int[] {2}))
        .isSameAs(packing.space(0, new int[] {GPU / 4, GPU / 2}, anyModels(2)));
  }

  @Test
  void pricesAGangByTheChanceThatRoomForItRunsOut() {
    // 10 expected, room for 10: (10 - 0.5 - 10) / sqrt(10) = -0.158; 1 / (1 + exp(-0.269)).
    assertThat(Prices.scarcity(10, 10)).isCloseTo(0.5669, within(0.0001));
    assertThat(Prices.scarcity(100, 10)).isLessThan(1e-9);
    assertThat(Prices.scarcity(0, 10)).isGreaterThan(0.99);
    assertThat(Prices.scarcity(0, 0)).isZero();
  }

  @Test
  void protectsTheLastRoomForAGang() {
    PackingModel packing = new PackingModel(even(ONE, TWO));
    Space pair = packing.space(0, new int[] {GPU, GPU}, anyModels(2));
    packing.add(pair);
    packing.edition();
    // 2 GPUs free and 1.5 a task: 4/3 tasks come, 2/3 gangs; room for 1:
    // (1 - 0.5 - 2/3) / sqrt(2/3) = -0.204; 1 / (1 + exp(-0.347)) = 0.586 of 2 GPUs.
    assertThat(packing.protection(pair)).isCloseTo(1.172 * GPU, within(0.06 * GPU));
    Space one = packing.withoutWhole(pair, 0, new int[] {1});
    assertThat(packing.protection(one)).isZero();
  }

  @Test
  void protectsNothingWhileThereIsRoomForAll() {
    PackingModel packing = new PackingModel(even(ONE, TWO));
    Space eight =
        packing.space(0, new int[] {GPU, GPU, GPU, GPU, GPU, GPU, GPU, GPU}, anyModels(8));
    for (int i = 0; i < 50; i++) {
      packing.add(eight);
    }
    packing.edition();
    // 400 GPUs: 133 gangs come, and there is room for 200.
    assertThat(packing.protection(eight)).isZero();
    int edition = packing.edition();
    packing.remove(eight);
    assertThat(packing.edition()).as("prices that stay are no new edition").isEqualTo(edition);
  }

  @Test
  void leavesMoreToChanceTheScarcerCpuIs() {
    assertThat(Prices.chance(80, 100)).isZero();
    assertThat(Prices.chance(95, 100)).isZero();
    assertThat(Prices.chance(97.5, 100)).isEqualTo(0.25);
    assertThat(Prices.chance(100, 100)).isEqualTo(0.5);
    assertThat(Prices.chance(300, 100)).isEqualTo(0.5);
    assertThat(Prices.chance(80, 0)).isEqualTo(0.5);
    assertThat(Prices.chance(0, 0)).as("tasks without CPU").isZero();
  }

  @Test
  void ratesANodeLessByItsBestHandsWhereCpuRunsOutBeforeGpus() {
    PackingModel packing = new PackingModel(even(NONE, task(1, GPU, 2000)));
    Space node = packing.space(3000, new int[] {GPU, GPU}, anyModels(2));
    packing.add(node);
    packing.edition();
    // 4 tasks come until both GPUs are full, and ask for 6 CPUs; 3 are free.
    double byChance = packing.fill(node);
    Space idle = packing.space(9000, new int[] {}, anyModels(0));
    packing.add(idle);
    packing.edition();
    // 12 CPUs are free now.
    assertThat(packing.fill(node)).isGreaterThan(byChance);
    int edition = packing.edition();
    packing.remove(idle);
    assertThat(packing.edition()).isEqualTo(edition + 1);
    assertThat(packing.fill(node)).isEqualTo(byChance);
  }

  @Test
  void pricesAModelByHowMuchIsInsistedOn() {
    assertThat(Prices.modelPrice(30, 100)).isZero();
    assertThat(Prices.modelPrice(55, 100)).isEqualTo(0.5);
    assertThat(Prices.modelPrice(90, 100)).isEqualTo(1);
    assertThat(Prices.modelPrice(1, 0)).isZero();
    assertThat(Prices.modelPrice(0, 100)).isZero();
    PackingModel packing = new PackingModel(even(ONE, task(1, GPU, 0, "H100")));
    Space mixed = packing.space(0, new int[] {GPU, GPU}, new String[] {"A100", "H100"});
    packing.add(mixed);
    packing.edition();
    // 2 tasks come, one of them insists on the only H100.
    assertThat(packing.modelPrice(mixed, 1)).isEqualTo(1);
    assertThat(packing.modelPrice(mixed, 0)).isZero();
  }

  @Test
  void sumsSharesToOneAndKeepsTheMostFrequent() {
    TaskMix mix = TaskMix.of(Map.of(HALF, 6.0, ONE, 3.0, TWO, 1.0, NONE, 0.0));
    assertThat(mix.parts())
        .containsExactly(
            new TaskMix.Part(HALF, 0.6), new TaskMix.Part(ONE, 0.3), new TaskMix.Part(TWO, 0.1));
    assertThat(mix.mostFrequent(0.85).parts())
        .extracting(TaskMix.Part::task)
        .containsExactly(HALF, ONE);
    assertThat(mix.mostFrequent(0.85).parts().getFirst().share()).isCloseTo(2 / 3.0, within(1e-9));
  }

  @Test
  void expectsNothingOfAnEmptyMix() {
    PackingModel packing = new PackingModel(TaskMix.EMPTY);
    Space space = packing.space(1000, new int[] {GPU}, anyModels(1));
    packing.add(space);
    assertThat(packing.edition()).isZero();
    assertThat(packing.fill(space)).isZero();
    assertThat(packing.protection(space)).isZero();
    assertThat(packing.modelPrice(space, 0)).isZero();
  }
}
