package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.queueId;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// No decision brings back an earlier state without an outside event. In each of these worlds two
/// rights of preemption undid each other for ever, before the rules bounded them. Random search did
/// not find them.
///
/// The jobs come in every order, each alone or all at once.
class TerminationTest {
  private final List<JobSpec> jobs = new ArrayList<>();

  private void job(String queue, int priority) {
    jobs.add(
        new JobSpec(
            new JobId(jobs.size() + 1L),
            queueId(queue),
            new UserId("u"),
            priority,
            Optional.empty(),
            Optional.empty()));
  }

  private static TenantBuilder within(TenantBuilder tenant, String... policies) {
    for (String policy : policies) {
      tenant.changePolicy(
          policy, p -> p.with().preemptWithin(PreemptWithin.LOWER_PRIORITY).build());
    }
    return tenant;
  }

  private static TenantBuilder profile(
      TenantBuilder tenant, String name, int gpus, Reclaim reclaim) {
    return tenant
        .profile(name, Integer.toString(gpus), "pool")
        .changeProfile(name, p -> p.with().reclaim(reclaim).build());
  }

  @Test
  void reservationsWithPreemptionWithinThePolicy() {
    job("a3", 0);
    job("a4", 1);
    job("b3", 0);
    job("b4", 1);
    comesToRest(() -> {
      TenantBuilder tenant = new TenantBuilder().pool("pool");
      profile(tenant, "three", 3, Reclaim.RESERVATION);
      profile(tenant, "four", 4, Reclaim.RESERVATION);
      tenant
          .policy("a", "3", "6")
          .policy("b", "3", "6")
          .queue("a3", "a", "three", 1)
          .queue("a4", "a", "four", 1)
          .queue("b3", "b", "three", 1)
          .queue("b4", "b", "four", 1);
      return new Driver(within(tenant, "a", "b"))
          .join(Driver.node("n", "pool", 4), Driver.node("o", "pool", 2));
    });
  }

  @Test
  void rankWithFairShares() {
    job("a", 0);
    job("a", 0);
    job("b", 0);
    comesToRest(() -> {
      TenantBuilder tenant = new TenantBuilder().pool("pool");
      profile(tenant, "ranked", 1, Reclaim.RANK);
      profile(tenant, "fair", 1, Reclaim.FAIR);
      tenant
          .policy("a", "0", "2")
          .policy("b", "0", "2")
          .queue("a", "a", "ranked", 1)
          .queue("b", "b", "fair", 2);
      return new Driver(tenant).join(Driver.node("n", "pool", 2));
    });
  }

  @Test
  void rankWithPreemptionWithinThePolicy() {
    job("x1", 0);
    job("x2", 1);
    job("y1", 0);
    job("y2", 1);
    comesToRest(() -> {
      TenantBuilder tenant = new TenantBuilder().pool("pool");
      profile(tenant, "one", 1, Reclaim.RANK);
      tenant
          .policy("x", "0", "1")
          .policy("y", "0", "1")
          .queue("x1", "x", "one", 1)
          .queue("x2", "x", "one", 2)
          .queue("y1", "y", "one", 1)
          .queue("y2", "y", "one", 2);
      return new Driver(within(tenant, "x", "y")).join(Driver.node("n", "pool", 1));
    });
  }

  @Test
  void fairSharesWithPreemptionWithinThePolicy() {
    job("a2", 0);
    job("a4", 1);
    job("b2", 0);
    job("b4", 1);
    job("b1", 0);
    comesToRest(() -> {
      TenantBuilder tenant = new TenantBuilder().pool("pool");
      profile(tenant, "one", 1, Reclaim.FAIR);
      profile(tenant, "two", 2, Reclaim.FAIR);
      profile(tenant, "four", 4, Reclaim.FAIR);
      tenant
          .policy("a", "0", "6")
          .policy("b", "0", "6")
          .queue("a2", "a", "two", 1)
          .queue("a4", "a", "four", 1)
          .queue("b1", "b", "one", 1)
          .queue("b2", "b", "two", 1)
          .queue("b4", "b", "four", 1);
      return new Driver(within(tenant, "a", "b"))
          .join(Driver.node("n", "pool", 4), Driver.node("o", "pool", 2));
    });
  }

  @Test
  void promotionWithRank() {
    job("first", 0);
    job("second", 0);
    comesToRest(() -> {
      TenantBuilder tenant =
          new TenantBuilder()
              .pool("pool")
              .changePool(
                  "pool", p -> p.with().promoteAfter(Optional.of(Duration.ofMinutes(1))).build());
      profile(tenant, "one", 1, Reclaim.RANK);
      tenant
          .policy("a", "0", "1")
          .policy("b", "0", "1")
          .queue("first", "a", "one", 1)
          .queue("second", "b", "one", 2);
      return new Driver(tenant).join(Driver.node("n", "pool", 1));
    });
  }

  /// The promoted job starts first, and loses its place to the one of better rank (P7). It does not
  /// take the place back, however long it waits.
  @Test
  void aPromotedJobTakesNothingFromBetterRanks() {
    TenantBuilder tenant =
        new TenantBuilder()
            .pool("pool")
            .changePool(
                "pool", p -> p.with().promoteAfter(Optional.of(Duration.ofMinutes(1))).build());
    profile(tenant, "one", 1, Reclaim.RANK);
    tenant
        .policy("a", "0", "1")
        .policy("b", "0", "1")
        .queue("first", "a", "one", 1)
        .queue("second", "b", "one", 2);
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 1));
    it.submit("first", "hog").run();
    it.submit("second", "promoted").submit("first", "ranked");
    it.after(Duration.ofMinutes(2)).pass();

    it.exit("hog", 0);

    assertThat(it.core.attempt(it.id("promoted"))).as("it starts first").isPresent();
    Settling.requireRest(it.core, it.now);
    assertThat(it.core.attempt(it.id("promoted"))).isEmpty();
    for (int i = 0; i < 3; i++) {
      it.now = it.now.plus(Duration.ofHours(1));
      it.core.decide(List.of(new Input.NodeChanged(Driver.node("n", "pool", 1))), it.now);
      Settling.requireRest(it.core, it.now);
      assertThat(it.core.attempt(it.id("ranked")).orElseThrow().id().number()).isOne();
      assertThat(it.core.attempt(it.id("promoted"))).isEmpty();
    }
  }

  private void comesToRest(Supplier<Driver> world) {
    for (List<JobSpec> order : orders(jobs)) {
      Driver atOnce = world.get().submit(order.toArray(JobSpec[]::new));
      Settling.requireRest(atOnce.core, atOnce.now);
      Driver oneByOne = world.get();
      for (JobSpec job : order) {
        oneByOne.submit(job);
        Settling.requireRest(oneByOne.core, oneByOne.now);
        oneByOne.after(Duration.ofMinutes(2)).pass();
        Settling.requireRest(oneByOne.core, oneByOne.now);
      }
    }
  }

  private static <T> List<List<T>> orders(List<T> all) {
    if (all.isEmpty()) {
      return List.of(List.of());
    }
    List<List<T>> orders = new ArrayList<>();
    for (T first : all) {
      List<T> rest = new ArrayList<>(all);
      rest.remove(first);
      for (List<T> order : orders(rest)) {
        List<T> with = new ArrayList<>(List.of(first));
        with.addAll(order);
        orders.add(with);
      }
    }
    return orders;
  }
}
