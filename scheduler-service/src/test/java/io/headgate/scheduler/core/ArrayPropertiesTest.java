package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobArray;
import io.headgate.scheduler.core.job.JobArray.Tally;
import io.headgate.scheduler.core.job.JobState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Properties of arrays that hold whatever happens. A failure names its seed.
class ArrayPropertiesTest {
  private static final int STEPS = 80;

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("headgate.array.seeds", 150));
  }

  /// A small cluster with preemption between two teams, and jobs of one and of two GPUs.
  private static Driver cluster(Random random) {
    return new Driver(
            new TenantBuilder()
                .pool("pool")
                .profile("one", "1", "pool")
                .profile("half", "1/2", "pool")
                .profile("two", "2", "pool")
                .policy("lender", "2", "6")
                .policy("owner", "4", "6")
                .queue("q", "lender", "one", 2)
                .queue("halves", "lender", "half", 3)
                .queue("wide", "owner", "two", 1))
        .join(Driver.node("n", "pool", 2 + random.nextInt(3)), Driver.node("m", "pool", 2));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void anArrayWithoutBoundIsScheduledAsItsElementsWouldBe(long seed) {
    Random random = new Random(seed);
    Driver array = cluster(new Random(seed));
    Driver jobs = cluster(new Random(seed));
    int size = 2 + random.nextInt(12);
    String queue = random.nextBoolean() ? "q" : "halves";
    List<String> others = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      if (step == 5) {
        array.submitArray("sweep", queue, size, 0);
        jobs.submit(
            queue,
            IntStream.rangeClosed(1, size)
                .mapToObj(each -> "sweep." + each)
                .toArray(String[]::new));
        // The ids and places of both are equal from here on.
        jobs.submit("gone", "sweep");
      }
      int at = step;
      switch (random.nextInt(4)) {
        case 0 -> {
          String name = "job-" + at;
          others.add(name);
          String where = random.nextInt(3) == 0 ? "wide" : "q";
          both(array, jobs, it -> it.submit(where, name));
        }
        case 1 -> {
          int passed = random.nextInt(300);
          both(array, jobs, it -> it.after(Duration.ofSeconds(passed)).pass());
        }
        default -> {
          List<String> running = array.in(JobState.RUNNING);
          if (!running.isEmpty()) {
            String name = running.get(random.nextInt(running.size()));
            both(array, jobs, it -> it.exit(name, 0));
          }
        }
      }
      both(array, jobs, Driver::settle);
      assertThat(array.in(JobState.RUNNING))
          .as("seed %d, step %d", seed, step)
          .isEqualTo(jobs.in(JobState.RUNNING));
      for (String name : array.in(JobState.RUNNING)) {
        assertThat(array.place(name)).as("seed %d, %s", seed, name).isEqualTo(jobs.place(name));
      }
    }
  }

  private static void both(Driver array, Driver jobs, Consumer<Driver> step) {
    step.accept(array);
    step.accept(jobs);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void arraysKeepTheirBoundsAndCountTheirElements(long seed) {
    Random random = new Random(seed);
    Driver it = cluster(random);
    List<String> arrays = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(10)) {
        case 0 -> {
          String name = "a" + step;
          arrays.add(name);
          String queue = random.nextBoolean() ? "q" : "halves";
          it.submitArray(name, queue, 1 + random.nextInt(9), random.nextInt(4));
        }
        case 1 -> it.submit("wide", "w" + step);
        case 2 -> it.after(Duration.ofSeconds(random.nextInt(600))).pass();
        case 3 -> some(random, arrays).ifPresent(name -> changeElement(it, name, random));
        case 4 -> {
          if (random.nextInt(4) == 0) {
            some(random, arrays).ifPresent(it::cancel);
          }
        }
        case 5 ->
            some(random, arrays)
                .ifPresent(name -> {
                  if (!it.core.job(it.id(name)).isPresent()) {
                    it.requeue(name);
                  } else if (random.nextInt(8) == 0) {
                    it.withdraw(name);
                  }
                });
        default ->
            some(random, it.in(JobState.RUNNING))
                .ifPresent(name -> it.exit(name, random.nextInt(4) == 0 ? 1 : 0));
      }
      if (random.nextBoolean()) {
        it.settle();
      }
      arrays.forEach(name -> check(it, name, seed));
      SchedulerCore copy = it.core.copy();
      assertThat(copy.state()).as("seed %d, step %d", seed, step).isEqualTo(it.core.state());
    }
    drain(it);
    for (String name : arrays) {
      check(it, name, seed);
      assertThat(it.state(name))
          .as("seed %d, %s is over", seed, name)
          .isNotEqualTo(JobState.WAITING);
    }
  }

  private static Optional<String> some(Random random, List<String> names) {
    return names.isEmpty()
        ? Optional.empty()
        : Optional.of(names.get(random.nextInt(names.size())));
  }

  /// Cancels or requeues one element, in whatever state it is.
  private static void changeElement(Driver it, String array, Random random) {
    JobArray state = it.array(array);
    int number = 1 + random.nextInt(state.size());
    String name = array + "." + number;
    if (!state.isBegun(number)) {
      if (it.core.job(it.id(array)).isPresent()) {
        it.decide(new Input.JobCancelled(it.element(array, number)));
      }
      return;
    }
    Optional<Job> ended =
        it.core.job(it.id(array)).isPresent() ? Optional.empty() : Optional.of(it.record(array));
    if (random.nextBoolean()) {
      it.decide(new Input.JobRequeued(it.record(name), ended));
    } else if (it.core.job(it.id(name)).isPresent()) {
      it.cancel(name);
    }
  }

  private static void check(Driver it, String name, long seed) {
    JobArray state = it.array(name);
    int active = 0;
    int waiting = 0;
    int done = 0;
    int failed = 0;
    int cancelled = 0;
    for (int number = 1; number <= state.size(); number++) {
      if (!state.isBegun(number)) {
        continue;
      }
      switch (it.state(name + "." + number)) {
        case WAITING -> waiting++;
        case ASSIGNED, RUNNING, STOPPING, SUSPENDED -> active++;
        case DONE -> done++;
        case FAILED, LOST -> failed++;
        case CANCELLED, DRAFT -> cancelled++;
      }
    }
    assertThat(state.tally())
        .as("seed %d, %s", seed, name)
        .isEqualTo(new Tally(waiting, active, done, failed, cancelled));
    assertThat(active).as("seed %d, %s", seed, name).isLessThanOrEqualTo(state.maxParallel());
  }

  /// Lets everything end by itself.
  private static void drain(Driver it) {
    for (int i = 0; i < 1000; i++) {
      it.settle();
      List<String> running = it.in(JobState.RUNNING);
      if (running.isEmpty()) {
        it.after(Duration.ofHours(1)).pass().settle();
        running = it.in(JobState.RUNNING);
        if (running.isEmpty()) {
          return;
        }
      }
      running.forEach(name -> it.exit(name, 0));
    }
    throw new AssertionError("jobs remain");
  }
}
