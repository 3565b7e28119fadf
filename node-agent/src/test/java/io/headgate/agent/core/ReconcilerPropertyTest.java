package io.headgate.agent.core;

import static io.headgate.agent.core.Fixtures.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/// Late, repeated and reordered inputs from several leaders, at random: nothing starts twice, no
/// device is given away twice, epochs never fall, and nothing that ended comes back.
class ReconcilerPropertyTest {
  private static final int SEEDS = 300;
  private static final int STEPS = 200;

  @Test
  void holdsItsPromisesUnderAnyOrder() {
    for (long seed = 0; seed < SEEDS; seed++) {
      try {
        new Run(seed).go();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private static final class Run {
    private final RandomGenerator random;
    private final Reconciler reconciler =
        new Reconciler(List.of(Fixtures.device(0), Fixtures.device(1)));
    private final Set<AttemptKey> started = new HashSet<>();
    private final Map<AttemptKey, AttemptReport> ended = new HashMap<>();
    private final Map<AttemptKey, Assignment> holding = new HashMap<>();
    private final Map<AttemptKey, Assignment> suspended = new HashMap<>();
    private final List<AttemptKey> releasing = new ArrayList<>();
    private long highestEpoch;

    Run(long seed) {
      this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }

    void go() {
      for (int step = 0; step < STEPS; step++) {
        for (Effect effect : reconciler.on(input())) {
          check(effect);
        }
        checkDevices();
      }
    }

    private Input input() {
      AttemptKey key = Fixtures.key("j" + random.nextInt(6));
      Leadership leader = new Leadership("i1", 1 + random.nextInt(4), "a");
      return switch (random.nextInt(12)) {
        case 0, 1, 2 -> new Input.Assigned(leader, assignment(key), NOW);
        case 3 ->
            new Input.StopOrdered(
                leader,
                key,
                new StopOrder(StopOrder.Kind.PREEMPT, random.nextBoolean(), random.nextInt(3)),
                NOW);
        case 4 -> new Input.Observed(key, observation(), Optional.empty());
        case 5 -> new Input.Vanished(key, EndReason.LOST, "killed", NOW);
        case 6 -> new Input.NotStarted(key, EndReason.START_FAILED, "no", NOW);
        case 7 -> new Input.Welcomed(leader);
        case 8, 9 -> new Input.Suspended(key, 1 + random.nextInt(2), Duration.ZERO);
        case 10 -> new Input.ResumeOrdered(leader, key, NOW);
        default ->
            new Input.Released(
                releasing.isEmpty() ? key : releasing.get(random.nextInt(releasing.size())),
                Duration.ZERO);
      };
    }

    private Assignment assignment(AttemptKey key) {
      String part = List.of("1/2", "1/7", "1", "1/3").get(random.nextInt(4));
      return Fixtures.assignment(key.job().id(), Fixtures.slice(random.nextInt(2), part));
    }

    private Observation observation() {
      return switch (random.nextInt(4)) {
        case 0 -> Fixtures.running();
        case 1 -> Fixtures.terminating();
        case 2 -> Fixtures.preempted();
        default -> Fixtures.exited(random.nextInt(256));
      };
    }

    private void check(Effect effect) {
      switch (effect) {
        case Effect.RecordLeadership(LeadershipHistory history) -> {
          long epoch = history.highest().orElseThrow().epoch();
          assertThat(epoch).isGreaterThan(highestEpoch);
          highestEpoch = epoch;
        }
        case Effect.RecordAssignment(Assignment assignment) ->
            assertThat(holding.put(assignment.key(), assignment)).isNull();
        case Effect.Start(Assignment assignment) -> {
          assertThat(holding).containsKey(assignment.key());
          assertThat(started.add(assignment.key())).as("never twice").isTrue();
        }
        case Effect.RecordSuspension(AttemptKey key, long _) -> {
          if (!suspended.containsKey(key)) {
            suspended.put(key, Objects.requireNonNull(holding.remove(key)));
          }
        }
        case Effect.RecordResumption(AttemptKey key) ->
            assertThat(holding.put(key, Objects.requireNonNull(suspended.remove(key)))).isNull();
        case Effect.Go(Assignment assignment, Rendezvous _) ->
            assertThat(holding).containsKey(assignment.key());
        case Effect.Resume(Assignment assignment) ->
            assertThat(holding).containsKey(assignment.key());
        case Effect.Release(Assignment assignment, boolean _) -> releasing.add(assignment.key());
        case Effect.RecordEnd(AttemptReport report) -> {
          assertThat(ended.put(report.key(), report)).as("ends once").isNull();
          holding.remove(report.key());
          suspended.remove(report.key());
        }
        case Effect.Report(AttemptReport report) -> {
          if (ended.containsKey(report.key())) {
            assertThat(report).isEqualTo(ended.get(report.key()));
          } else {
            assertThat(report.state()).isNotEqualTo(AttemptState.ENDED);
          }
        }
        case Effect.SendStop stop ->
            assertThat(holding.containsKey(stop.assignment().key()))
                .isNotEqualTo(suspended.containsKey(stop.assignment().key()));
        case Effect.Forget _ -> throw new AssertionError("nothing was forgotten");
        case Effect.Refuse(Leadership leadership) ->
            assertThat(leadership.epoch()).isLessThan(highestEpoch);
      }
    }

    private void checkDevices() {
      Map<Integer, Long> units = new HashMap<>();
      holding
          .values()
          .forEach(assignment ->
              assignment
                  .slices()
                  .forEach(
                      slice -> units.merge(slice.deviceIndex(), slice.gpus().units(), Long::sum)));
      assertThat(units.values())
          .allSatisfy(sum -> assertThat(sum).isLessThanOrEqualTo(GpuQuantity.UNITS_PER_GPU));
    }
  }
}
