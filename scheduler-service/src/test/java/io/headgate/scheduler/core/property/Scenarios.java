package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.job.Job;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/// Made-up histories by seed: runs many of them on two threads, and keeps one to be run again in
/// another guise.
///
/// `-Dheadgate.scenarios=N` runs more or fewer of them, `-Dheadgate.first=N` begins with that seed
/// (1). `-Dheadgate.seed=N` runs that one alone, `-Dheadgate.steps=N` gives each N steps.
final class Scenarios {
  private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");
  private static final int THREADS = 2;

  private Scenarios() {}

  /// One batch of inputs.
  record Step(Instant at, List<Input> inputs) {}

  static RandomGenerator random(long seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  /// How many steps the scenario has: most are short, for a short one finds nearly as much in a
  /// fraction of the time.
  static int steps(long seed) {
    return Integer.getInteger("headgate.steps", seed % 10 == 0 ? 25 : 6);
  }

  /// Runs the test with every seed.
  ///
  /// @param usual how many when nothing else is asked for
  static void each(int usual, LongConsumer test) {
    Long only = Long.getLong("headgate.seed");
    if (only != null) {
      test.accept(only);
      return;
    }
    long first = Long.getLong("headgate.first", 1);
    long last = first - 1 + Long.getLong("headgate.scenarios", usual);
    AtomicLong next = new AtomicLong(first);
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        all.add(threads.submit(() -> runFrom(next, last, test)));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } catch (java.util.concurrent.ExecutionException e) {
      throw new AssertionError(e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static void runFrom(AtomicLong next, long last, LongConsumer test) {
    for (long seed = next.getAndIncrement(); seed <= last; seed = next.getAndIncrement()) {
      try {
        test.accept(seed);
      } catch (AssertionError | RuntimeException e) {
        next.set(last + 1);
        throw new AssertionError("-Dheadgate.seed=" + seed + ": " + e.getMessage(), e);
      }
    }
  }

  /// Follows a made-up history.
  interface Follower {
    /// A decision was made.
    ///
    /// @param shadow what a shell would know after it; null-free and not to be changed
    void decided(Step step, Decision decision, SchedulerCore core, Shadow shadow);
  }

  /// Lets followers see the generated history of every seed. A failing history is shrunk.
  ///
  /// @param test whose property it is
  /// @param guise the transformation of every input
  /// @param followers by seed, a new one for each history
  static void follow(
      Class<?> test, int usual, UnaryOperator<Input> guise, LongFunction<Follower> followers) {
    each(
        usual,
        seed -> {
          List<Step> steps = new ArrayList<>();
          try {
            record(seed, guise, followers.apply(seed), steps);
          } catch (AssertionError | RuntimeException e) {
            throw Shrunk.error(
                test,
                seed,
                History.of(SchedulerCore.DEFAULT_PLACEMENT, steps),
                Shrunk.oracle(history -> following(followers.apply(seed))),
                e);
          }
        });
  }

  private static Player.Check following(Follower follower) {
    Shadow shadow = new Shadow();
    return (step, decision, core) -> {
      shadow.apply(step, decision, core);
      follower.decided(step, decision, core, shadow);
    };
  }

  /// Compares runs of a history.
  interface Comparison {
    /// @param decided the effects of each step
    /// @throws AssertionError when they differ where they must not
    void compare(long seed, List<Step> steps, List<List<Effect>> decided);
  }

  /// Compares runs of the generated history of every seed. A failing history is shrunk.
  static void compare(Class<?> test, int usual, UnaryOperator<Input> guise, Comparison comparison) {
    each(
        usual,
        seed -> {
          List<Step> steps = new ArrayList<>();
          List<List<Effect>> decided = new ArrayList<>();
          record(
              seed,
              guise,
              (step, decision, core, shadow) -> decided.add(decision.effects()),
              steps);
          try {
            comparison.compare(seed, steps, decided);
          } catch (AssertionError | RuntimeException e) {
            throw Shrunk.error(
                test,
                seed,
                History.of(SchedulerCore.DEFAULT_PLACEMENT, steps),
                Shrunk.oracleOf(history -> {
                  List<Step> played = played(history);
                  comparison.compare(seed, played, run(played));
                }),
                e);
          }
        });
  }

  /// The history as it went.
  private static List<Step> played(History history) {
    List<Step> steps = new ArrayList<>();
    Player.play(history, (step, decision, core) -> steps.add(step));
    return History.of(history.placement(), steps).mapEach(Scenarios::withoutPast).steps();
  }

  /// Makes up a history, and lets the core decide it.
  ///
  /// @param guise what is made of every input
  static List<Step> record(long seed, UnaryOperator<Input> guise) {
    List<Step> steps = new ArrayList<>();
    record(seed, guise, (step, decision, core, shadow) -> {}, steps);
    return steps;
  }

  private static void record(
      long seed, UnaryOperator<Input> guise, Follower follower, List<Step> steps) {
    RandomGenerator random = random(seed);
    RandomWorld world = new RandomWorld(random, seed);
    Shadow shadow = new Shadow(world.catalog());
    SchedulerCore core = SchedulerCore.empty();
    Instant now = BEGINNING;
    List<Input> inputs = world.beginning();
    for (int i = 0; i < steps(seed); i++) {
      Step step = new Step(now, inputs.stream().map(Scenarios::withoutPast).map(guise).toList());
      steps.add(step);
      Decision decision = core.decide(step.inputs(), now);
      shadow.apply(step, decision, core);
      follower.decided(step, decision, core, shadow);
      now = now.plus(Duration.ofSeconds(random.nextInt(240)));
      inputs = world.next(shadow, now);
    }
  }

  /// A job's record names its last preemptor, for display only.
  private static Input withoutPast(Input input) {
    return switch (input) {
      case Input.JobCancelled(var job) -> new Input.JobCancelled(withoutPast(job));
      case Input.JobRequeued(var job) -> new Input.JobRequeued(withoutPast(job));
      default -> input;
    };
  }

  private static Job withoutPast(Job job) {
    return new Job(
        job.spec(),
        job.state(),
        job.sequence(),
        job.submittedAt(),
        job.waitingSince(),
        job.attempts(),
        Optional.empty(),
        job.holdPause(),
        Optional.empty(),
        job.gate());
  }

  /// Lets a new core decide the history.
  static List<List<Effect>> run(List<Step> steps) {
    SchedulerCore core = SchedulerCore.empty();
    List<List<Effect>> effects = new ArrayList<>();
    for (Step step : steps) {
      effects.add(core.decide(step.inputs(), step.at()).effects());
    }
    return effects;
  }

  static Input provisioned(Input input, UnaryOperator<Catalog> change) {
    return input instanceof Input.CatalogChanged(var catalog)
        ? new Input.CatalogChanged(change.apply(catalog))
        : input;
  }
}
