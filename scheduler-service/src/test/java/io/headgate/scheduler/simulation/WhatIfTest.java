package io.headgate.scheduler.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.explain.Forecast;
import io.headgate.scheduler.core.explain.Forecast.Basis;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.simulation.WhatIf.Answer;
import io.headgate.scheduler.simulation.WhatIf.Limits;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Effects of a change on a core at work, with some jobs in the middle of a stop.
class WhatIfTest {
  private static final TenantId ACME = new TenantId("acme");
  private static final Instant BEGIN = Instant.parse("2026-01-01T10:00:00.000001Z");
  private static final Limits ALL = new Limits(1000, Integer.MAX_VALUE, () -> false);

  private final SchedulerCore core = SchedulerCore.empty();
  private Instant now = BEGIN;
  private long lastId;

  /// Three GPUs; `own` may have all and reserves what the test says, `guest` reserves nothing.
  @BeforeEach
  void provision() {
    List<Input> inputs = new ArrayList<>();
    inputs.add(new Input.CatalogChanged(catalog("0", "3")));
    inputs.add(new Input.NodeChanged(node("n", 3)));
    decide(inputs);
  }

  @Test
  void comparesWithWhatWouldHappenAnyway() {
    run("guest", 3, Duration.ofHours(1));
    JobId own = submit("own", Optional.empty());
    long before = core.policies().size();

    Answer same = compare(catalog("0", "3"));
    assertThat(same.starts().count()).isZero();
    assertThat(same.waits().count()).isZero();

    Answer answer = compare(catalog("1", "3"));
    assertThat(answer.starts().named()).extracting(SimulationEvent.Start::job).containsExactly("4");
    assertThat(answer.preempts().named())
        .extracting(SimulationEvent.Preempt::job, SimulationEvent.Preempt::by)
        .containsExactly(tuple("3", "4"));
    assertThat(answer.waits().named()).extracting(SimulationEvent.Wait::job).containsExactly("3");
    assertThat(after(answer, "own").usage()).isEqualTo(GpuQuantity.ONE);
    assertThat(before(answer, "own").usage()).isEqualTo(GpuQuantity.ZERO);

    assertThat(core.reason(own)).as("the core itself is as it was").isPresent();
    assertThat(core.policies()).hasSize((int) before);
  }

  @Test
  void waitsEndWhenRunningJobsHavePromisedToEnd() {
    run("guest", 3, Duration.ofHours(1));
    now = now.plus(Duration.ofMinutes(20));
    submit("own", Optional.empty());

    PolicyForecast own = before(compare(catalog("1", "3")), "own");

    assertThat(own.waiting()).isEqualTo(1);
    assertThat(own.expected().p50Ms()).hasValue(Duration.ofMinutes(40).toMillis());
  }

  @Test
  void endsOfJobsWithoutDeclaredRunTimeAreUnknown() {
    run("guest", 3, null);
    submit("own", Optional.empty());
    Answer answer = compare(catalog("1", "3"));

    assertThat(before(answer, "own").expected().p50Ms()).isEmpty();
    assertThat(after(answer, "own").expected().p50Ms()).as("it starts at once").hasValue(0);
    assertThat(before(answer, "guest").expected().jobs()).isZero();
    assertThat(after(answer, "guest").expected().jobs()).isEqualTo(1);
    assertThat(after(answer, "guest").expected().p50Ms()).isEmpty();
    assertThat(answer.knownUntil()).isEmpty();
  }

  @Test
  void looksNoFurtherThanItMay() {
    run("guest", 3, Duration.ofHours(1));
    for (int i = 0; i < 6; i++) {
      submit("own", Optional.of(Duration.ofHours(1)));
    }

    Answer answer =
        new WhatIf(ACME, new Limits(10, 1, () -> false))
            .compare(present(), catalog("0", "3"), WhatIf.NotAdmitted.NONE);

    // The first hour's end is one moment; the three that start then are known, the others not.
    assertThat(before(answer, "own").expected().p50Ms()).hasValue(Duration.ofHours(1).toMillis());
    assertThat(before(answer, "own").expected().p99Ms()).isEmpty();
    assertThat(answer.knownUntil()).hasValue(Duration.ofHours(2).minusMillis(1));
    Answer none =
        new WhatIf(ACME, new Limits(10, 10, () -> true))
            .compare(present(), catalog("0", "3"), WhatIf.NotAdmitted.NONE);
    assertThat(before(none, "own").expected().p50Ms()).isEmpty();
  }

  @Test
  void goesOnFromAStopThatIsUnderWay() {
    run("guest", 3, null);
    decide(List.of(new Input.CatalogChanged(catalog("1", "3"))));
    JobId own = submit("own", Optional.empty());
    assertThat(core.hold(own)).as("its victim has not stopped yet").isPresent();

    Answer answer = compare(catalog("2", "3"));

    assertThat(answer.starts().count()).as("it starts in any case").isZero();
    assertThat(answer.preempts().count()).isZero();
    assertThat(before(answer, "own").usage()).isEqualTo(GpuQuantity.ONE);
  }

  @Test
  void jobsWithoutQueueOrRightBecomeDrafts() {
    run("guest", 3, null);
    submit("own", Optional.empty());
    submit("own", Optional.empty());
    Catalog without =
        new Catalog(
            ACME,
            2,
            catalog("0", "3").pools(),
            catalog("0", "3").profiles(),
            catalog("0", "3").policies(),
            List.of());

    assertThat(compare(without).drafts().count()).isEqualTo(2);
    Answer withdrawn =
        new WhatIf(ACME, ALL)
            .compare(
                present(),
                catalog("0", "3"),
                new WhatIf.NotAdmitted(List.of("5"), List.of(), List.of()));
    assertThat(withdrawn.drafts().named())
        .extracting(SimulationEvent.Draft::job)
        .containsExactly("5");
    assertThat(after(withdrawn, "own").waiting()).isEqualTo(1);
  }

  @Test
  void namesNoJobsOfOtherTenants() {
    run("guest", 3, null);
    submit("own", Optional.empty());
    TenantId stranger = new TenantId("umbrella");

    Answer answer =
        new WhatIf(stranger, ALL).compare(present(), catalog("1", "3"), WhatIf.NotAdmitted.NONE);

    assertThat(answer.starts().named()).isEmpty();
    assertThat(answer.starts().count()).isZero();
    assertThat(answer.starts().ofOthers()).isEqualTo(1);
    assertThat(answer.preempts().ofOthers()).isEqualTo(1);
    assertThat(answer.policies()).isEmpty();
  }

  /// A plan and the explanation of a job look ahead independently of each other. For a policy's
  /// only waiting job they must agree.
  @Test
  void agreesWithTheExplanationOfTheOnlyWaitingJob() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(11);
    decide(List.of(new Input.CatalogChanged(catalog("2", "3"))));
    int known = 0;
    int undeclared = 0;
    for (int step = 0; step < 600; step++) {
      now = now.plusSeconds(random.nextInt(1800));
      if (random.nextInt(3) > 0) {
        submit(
            random.nextBoolean() ? "own" : "guest",
            random.nextInt(4) > 0
                ? Optional.of(Duration.ofMinutes(1 + random.nextInt(60)))
                : Optional.empty());
      }
      goOn(random);
      for (String policy : List.of("own", "guest")) {
        List<JobId> waiting = core.waiting(new QueueId(ACME, policy), 2);
        if (waiting.size() == 1) {
          Forecast forecast = core.forecast(waiting.getFirst(), now).get().orElseThrow();
          // A plan counts declared run times only.
          if (forecast instanceof Forecast.Expected(_, _, _, Basis basis)
              && basis == Basis.OBSERVED) {
            undeclared++;
            continue;
          }
          Optional<Long> foretold =
              forecast instanceof Forecast.Expected by
                  ? Optional.of(Duration.between(now, by.start()).toMillis())
                  : Optional.empty();
          OptionalLong expected = before(compare(catalog("2", "3")), policy).expected().p50Ms();
          assertThat(expected.stream().boxed().findFirst()).as("step %d", step).isEqualTo(foretold);
          known += foretold.isPresent() ? 1 : 0;
          undeclared += foretold.isPresent() ? 0 : 1;
        }
      }
    }
    assertThat(known).isGreaterThan(20);
    assertThat(undeclared).isPositive();
  }

  /// Agents report some of the pending events.
  private void goOn(RandomGenerator random) {
    List<Input> inputs = new ArrayList<>();
    for (Attempt attempt : core.state().attempts()) {
      if (attempt.stop().isPresent()) {
        inputs.add(new Input.WorkerStopped(attempt.id(), 0));
      } else if (attempt.startedAt().isEmpty()) {
        inputs.add(new Input.WorkerStarted(attempt.id(), 0, now));
      } else if (random.nextInt(3) == 0) {
        inputs.add(new Input.WorkerExited(attempt.id(), 0, 0));
      }
    }
    decide(inputs);
  }

  private Answer compare(Catalog changed) {
    return new WhatIf(ACME, ALL).compare(present(), changed, WhatIf.NotAdmitted.NONE);
  }

  private LiveState present() {
    return new LiveState(core.state(), core.placement(), now, JobId::toString);
  }

  private static PolicyForecast before(Answer answer, String policy) {
    return change(answer, policy).before().orElseThrow();
  }

  private static PolicyForecast after(Answer answer, String policy) {
    return change(answer, policy).after().orElseThrow();
  }

  private static WhatIf.PolicyChange change(Answer answer, String policy) {
    return answer.policies().stream()
        .filter(each -> each.name().equals(policy))
        .findFirst()
        .orElseThrow();
  }

  private void decide(List<Input> inputs) {
    core.decide(inputs, now);
  }

  private JobId submit(String queue, Optional<Duration> maxRuntime) {
    JobId id = new JobId(++lastId);
    decide(
        List.of(
            new Input.JobSubmitted(
                new JobSpec(
                    id,
                    new QueueId(ACME, queue),
                    new UserId("ada"),
                    0,
                    Optional.empty(),
                    maxRuntime))));
    return id;
  }

  /// The first of them has not been reported as started.
  private void run(String queue, int count, @Nullable Duration maxRuntime) {
    for (int i = 0; i < count; i++) {
      JobId id = submit(queue, Optional.ofNullable(maxRuntime));
      if (i > 0) {
        decide(List.of(new Input.WorkerStarted(new AttemptId(id, 1), 0, now)));
      }
    }
    assertThat(core.policies().stream().mapToInt(usage -> usage.running()).sum()).isEqualTo(count);
  }

  private static Catalog catalog(String reservation, String limit) {
    PoolId pool = new PoolId(ACME, "p");
    ProfileId one = new ProfileId(ACME, "one");
    PolicyId own = new PolicyId(ACME, "own");
    PolicyId guest = new PolicyId(ACME, "guest");
    return new Catalog(
        ACME,
        1,
        List.of(Pool.of(pool)),
        List.of(Profile.of(one, GpuQuantity.ONE, List.of(pool))),
        List.of(
            Policy.of(own, GpuQuantity.parse(reservation), GpuQuantity.parse(limit)),
            Policy.of(guest, GpuQuantity.ZERO, GpuQuantity.parse("3"))),
        List.of(
            new Queue(new QueueId(ACME, "own"), own, one, 1, true, true),
            new Queue(new QueueId(ACME, "guest"), guest, one, 1, true, true)));
  }

  private static Node node(String name, int gpus) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < gpus; i++) {
      devices.add(
          new Device(
              i, name + "-" + i, "H100", 80L << 30, new Geometry.Continuous(), Isolation.NONE));
    }
    return new Node(
        new NodeId(ACME, name), new PoolId(ACME, "p"), devices, 64_000, 1L << 40, NodeStatus.READY);
  }
}
