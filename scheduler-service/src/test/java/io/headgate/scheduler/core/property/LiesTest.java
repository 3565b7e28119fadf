package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;

import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.property.Scenarios.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/// A user who lies about checkpoints or run times, in two runs of one made-up history: with the lie
/// and without. No lie raises a job above honest ones (T23). Lies that do choose a victim:
/// `LyingVictimTest`.
@Order(1) // It takes longest.
class LiesTest {
  private static final int SCENARIOS = 3_000;
  private static final UserId LIAR = new UserId("v");

  /// The most that such a lie achieves: among sets of equally many victims, all of them due by P1
  /// to P4, another set stops. Earlier decisions do not change, and neither does the job for which
  /// the victims make room. The runs differ in the agents' words on checkpoints alone.
  @Test
  void aLieAboutCheckpointsChoosesAmongEquallyManyVictimsAndDoesNothingElse() {
    Scenarios.compare(
        LiesTest.class,
        SCENARIOS,
        UnaryOperator.identity(),
        (seed, steps, decided) -> {
          List<List<Effect>> lied = Scenarios.run(lyingOnCheckpoints(seed, steps, decided));
          for (int step = 0; step < decided.size(); step++) {
            List<Effect> honest = decisions(decided.get(step));
            List<Effect> others = decisions(lied.get(step));
            int first = firstDifference(honest, others);
            if (first >= 0) {
              requireEqualExchange(honest, others, first);
              return; // The runs go different ways from here.
            }
          }
        });
  }

  /// The decisions without the reports of agents, which say when they were made.
  private static List<Effect> decisions(List<Effect> effects) {
    return effects.stream().filter(effect -> !(effect instanceof Effect.AttemptChanged)).toList();
  }

  private static int firstDifference(List<Effect> one, List<Effect> other) {
    int both = Math.min(one.size(), other.size());
    for (int i = 0; i < both; i++) {
      if (!said(one.get(i)).equals(said(other.get(i)))) {
        return i;
      }
    }
    return one.size() == other.size() ? -1 : both;
  }

  /// An attempt that ends carries its last checkpoint along.
  private static String said(Effect effect) {
    return effect.toString().replaceAll("checkpointAt=Optional(\\.empty|\\[[^\\]]*\\])", "");
  }

  private static void requireEqualExchange(List<Effect> honest, List<Effect> lied, int from) {
    Exchange fair = Exchange.of(honest, from);
    Exchange unfair = Exchange.of(lied, from);
    require(
        fair.preemptor().equals(unfair.preemptor()),
        "a lie about checkpoints changes not for whom victims make room (T23)",
        fair,
        unfair);
    require(
        fair.victims().size() == unfair.victims().size(),
        "a lie about checkpoints chooses among equally many victims only (T23)",
        fair,
        unfair);
  }

  /// The victims that make room for one job.
  private record Exchange(JobId preemptor, List<AttemptId> victims) {
    static Exchange of(List<Effect> effects, int from) {
      Optional<JobId> preemptor = Optional.empty();
      for (int i = from; i < effects.size() && preemptor.isEmpty(); i++) {
        preemptor =
            switch (effects.get(i)) {
              case Effect.StopAttempt(var _, var order) -> preemptor(order);
              case Effect.HoldPlaced(var hold) when !hold.isForBlocked() -> Optional.of(hold.job());
              default -> Optional.empty();
            };
        require(
            preemptor.isPresent() || effects.get(i) instanceof Effect.JobChanged,
            "a lie about checkpoints starts, holds and ends nothing (T23)",
            effects.get(i));
      }
      require(preemptor.isPresent(), "victims make room for a job (T23)", effects);
      List<AttemptId> victims = new ArrayList<>();
      for (Effect effect : effects) {
        if (effect instanceof Effect.StopAttempt(var id, var order)
            && preemptor(order).equals(preemptor)) {
          victims.add(id);
        }
      }
      return new Exchange(preemptor.get(), victims);
    }

    private static Optional<JobId> preemptor(StopOrder order) {
      return order.cause() instanceof StopCause.Preempted(var by, var _, var _)
          ? Optional.of(by)
          : Optional.empty();
    }
  }

  /// By seed: the liar's jobs say in each step that they have just saved, or never say so, or say
  /// it when they begin and not again.
  private static List<Step> lyingOnCheckpoints(
      long seed, List<Step> steps, List<List<Effect>> decided) {
    List<Step> lying = new ArrayList<>();
    Map<JobId, AttemptId> live = new HashMap<>();
    Set<AttemptId> begun = new LinkedHashSet<>();
    Set<JobId> ofLiar = new LinkedHashSet<>();
    for (int i = 0; i < steps.size(); i++) {
      Instant at = steps.get(i).at();
      List<Input> inputs = new ArrayList<>();
      for (Input input : steps.get(i).inputs()) {
        if (input instanceof Input.JobSubmitted(var spec, var _) && spec.user().equals(LIAR)) {
          ofLiar.add(spec.id());
        }
        boolean isTold =
            input instanceof Input.AttemptCheckpointed(var attempt, var _)
                && ofLiar.contains(attempt.job());
        if (!isTold) {
          inputs.add(input);
        }
      }
      for (AttemptId attempt : live.values()) {
        if (seed % 3 == 0 || (seed % 3 == 1 && begun.add(attempt))) {
          // Before all else that happens, so that it counts in this step.
          inputs.addFirst(new Input.AttemptCheckpointed(attempt, at));
        }
      }
      lying.add(new Step(at, inputs));
      for (Effect effect : decided.get(i)) {
        if (effect instanceof Effect.StartAttempt(Attempt attempt)
            && ofLiar.contains(attempt.id().job())) {
          live.put(attempt.id().job(), attempt.id());
        } else if (effect instanceof Effect.AttemptEnded(Attempt attempt, var _)) {
          live.remove(attempt.id().job());
        }
      }
    }
    return lying;
  }

  /// Where no job waits long enough to hold and no job moves, nothing is decided by declared run
  /// times. So a lie about them raises no job in the order, and spares none.
  @Test
  void aLieAboutRunTimesChangesNothingWhereNoJobHolds() {
    Scenarios.compare(
        LiesTest.class,
        SCENARIOS,
        LiesTest::patient,
        (seed, steps, decided) -> {
          List<List<Effect>> lied =
              Scenarios.run(
                  steps.stream()
                      .map(step ->
                          new Step(
                              step.at(),
                              step.inputs().stream()
                                  .map(input -> lyingOnRunTime(seed, input))
                                  .toList()))
                      .toList());
          for (int step = 0; step < decided.size(); step++) {
            require(
                withoutRunTimes(decided.get(step)).equals(withoutRunTimes(lied.get(step))),
                "a lie about run times changes nothing where no job holds (T23)",
                "step " + step,
                decided.get(step),
                lied.get(step));
          }
        });
  }

  private static Input patient(Input input) {
    return Scenarios.provisioned(
        input,
        catalog ->
            catalog
                .withProfiles(
                    catalog.profiles().stream()
                        .map(profile -> profile.with().holdAfter(Duration.ofDays(365)).build())
                        .toList())
                .withPools(
                    catalog.pools().stream()
                        .map(pool -> pool.with().consolidate(false).build())
                        .toList()));
  }

  private static Input lyingOnRunTime(long seed, Input input) {
    if (!(input instanceof Input.JobSubmitted(var spec, var gate)) || !spec.user().equals(LIAR)) {
      return input;
    }
    Optional<Duration> said =
        switch ((int) (seed % 3)) {
          case 0 -> Optional.of(Duration.ofMillis(1));
          case 1 -> Optional.of(Duration.ofDays(300));
          default -> Optional.empty();
        };
    return new Input.JobSubmitted(spec.with().maxRuntime(said).build(), gate);
  }

  private static List<String> withoutRunTimes(List<Effect> effects) {
    return effects.stream()
        .map(effect ->
            effect.toString().replaceAll("maxRuntime=Optional(\\.empty|\\[[^\\]]*\\])", ""))
        .toList();
  }
}
