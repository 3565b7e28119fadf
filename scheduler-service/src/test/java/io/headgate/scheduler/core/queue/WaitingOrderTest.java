package io.headgate.scheduler.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.TenantShare;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.PastUse;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.rights.Claim;
import io.headgate.scheduler.core.rights.Departments;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.PoolTenants;
import io.headgate.scheduler.core.rights.UpperLevels;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/// The comparator of turns (O1-O5) is one total order over the jobs of all pools, whatever the
/// pools where they are compared. Past use counts in some pools, and some promote jobs.
/// Reservations, usage, ranks and priorities are made up; the seed is in every failure.
class WaitingOrderTest {
  private static final int WORLDS = 400;
  private static final int TRIPLES = 500;
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Instant NOW = Instant.EPOCH.plus(HOUR);
  private static final List<TenantId> TENANTS = List.of(new TenantId("t"), new TenantId("u"));

  /// Turns of waiting jobs in made-up pools. The first pool is one that tenants share.
  private static final class Waiting {
    private final RandomGenerator random;
    private final List<PoolState> pools = new ArrayList<>();
    private final List<PolicyAccount> accounts = new ArrayList<>();
    private final List<PoolTenants> tenants = new ArrayList<>();
    private final List<ProfileId> profiles = new ArrayList<>();
    private final List<Turn> turns = new ArrayList<>();
    private long sequence;

    /// In every second world usage is so large that products of it exceed 64 bits.
    private final long unit;

    Waiting(long seed) {
      random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
      unit = seed % 2 == 0 ? 100_000_000_003L : 1;
      for (int i = 0; i < 4; i++) {
        profiles.add(new ProfileId(TENANTS.getFirst(), "f" + i));
      }
      for (int i = 0; i < 3; i++) {
        addPool(new PoolId(TENANTS.getFirst(), "p" + i), i == 0 || random.nextBoolean());
      }
      for (int i = 0; i < 6; i++) {
        addPolicy(new PolicyId(TENANTS.get(i % 2), "g" + i));
      }
      addDepartments();
      for (PolicyAccount account : accounts) {
        new Levels(account, tenants.getFirst().account(account.id().tenant())).start(claim());
        for (int i = 0; i < 3; i++) {
          addQueue(account, account.id().name() + "-" + i);
        }
      }
    }

    private GpuQuantity some(int most) {
      return new GpuQuantity(unit * random.nextInt(most + 1));
    }

    private void addPool(PoolId id, boolean shared) {
      PoolState pool = new PoolState(id, SchedulerCore.DEFAULT_PLACEMENT);
      List<ProfileId> order = new ArrayList<>(profiles);
      order.removeIf(each -> random.nextBoolean());
      pool.configure(
          Pool.of(id).with().order(order).promoteAfter(anHour()).halfLife(anHour()).build());
      PoolTenants users = new PoolTenants(id);
      users.history().configure(pool.pool().flatMap(Pool::halfLife));
      users.history().begin(NOW);
      List<TenantShare> shares = new ArrayList<>();
      for (TenantId tenant : shared ? TENANTS : List.<TenantId>of()) {
        int weight = 1 + random.nextInt(3);
        shares.add(new TenantShare(tenant, id, Optional.of(some(4)), Optional.empty(), weight));
      }
      users.configure(shares);
      users.renew(new Departments());
      for (TenantId tenant : TENANTS) {
        users.account(tenant).start(claim());
      }
      pools.add(pool);
      tenants.add(users);
    }

    private Optional<Duration> anHour() {
      return random.nextBoolean() ? Optional.of(HOUR) : Optional.empty();
    }

    private void addPast(PolicyAccount policy) {
      for (int i = 0; i < pools.size(); i++) {
        double average = some(4).units() * random.nextDouble();
        tenants
            .get(i)
            .history()
            .restore(new PastUse(pools.get(i).id(), policy.level(), average, 0, Instant.EPOCH));
      }
    }

    private Claim claim() {
      return new Claim(new UserId("u"), some(6).units(), true);
    }

    private void addPolicy(PolicyId id) {
      PolicyAccount account = new PolicyAccount(id);
      GpuQuantity reservation = some(4);
      int weight = 1 + random.nextInt(3);
      account.configure(
          Policy.of(id, reservation, reservation.plus(some(4)))
              .with()
              .weight(weight)
              .department(
                  Optional.of("d" + random.nextInt(5))
                      .map(name -> new DepartmentId(id.tenant(), name)))
              .build());
      accounts.add(account);
      addPast(account);
    }

    /// Three departments, two of which are above one another. A policy that names another has none.
    private void addDepartments() {
      List<Department> departments = new ArrayList<>();
      for (TenantId tenant : TENANTS) {
        for (int i = 0; i < 3; i++) {
          Optional<DepartmentId> parent =
              i == 2 ? Optional.of(new DepartmentId(tenant, "d1")) : Optional.empty();
          departments.add(
              new Department(
                  new DepartmentId(tenant, "d" + i),
                  parent,
                  random.nextBoolean() ? Optional.of(some(4)) : Optional.empty(),
                  Optional.empty(),
                  1 + random.nextInt(3)));
        }
      }
      new Departments().configure(departments, accounts);
    }

    private void addQueue(PolicyAccount account, String name) {
      List<Integer> routing = new ArrayList<>();
      for (int i = 0; i < pools.size(); i++) {
        if (routing.isEmpty() || random.nextBoolean()) {
          routing.add(random.nextInt(routing.size() + 1), i);
        }
      }
      ProfileId profileId = profiles.get(random.nextInt(profiles.size()));
      Profile profile =
          Profile.of(profileId, size(), routing.stream().map(i -> pools.get(i).id()).toList());
      Shape shape = Shape.of(profile);
      List<Route> routes = new ArrayList<>();
      for (int i : routing) {
        PoolState pool = pools.get(i);
        routes.add(
            new Route(
                pool,
                pool.executionPosition(profileId),
                pool.ranking(shape),
                new UpperLevels(
                    account.department().orElse(null),
                    tenants.get(i).account(account.id().tenant()))));
      }
      QueueId id = new QueueId(TENANTS.getFirst(), name);
      Queue queue = new Queue(id, account.id(), profileId, 1 + random.nextInt(2), true, true);
      QueueState state = new QueueState(id);
      state.configure(
          queue, new ResolvedQueue(queue, profile, shape, account, new RouteGroup(routes)));
      Promotion.promote(state, NOW);
      for (int i = 0; i < 3; i++) {
        addJob(state);
      }
    }

    private GpuQuantity size() {
      return GpuQuantity.parse(List.of("0", "1/2", "1", "2").get(random.nextInt(4)));
    }

    private void addJob(QueueState queue) {
      boolean preemptible = random.nextInt(4) > 0;
      Instant submitted = Instant.EPOCH.plusSeconds(random.nextInt(2));
      JobSpec spec =
          new JobSpec(
              new JobId(++sequence),
              queue.id(),
              new UserId("u"),
              random.nextInt(2),
              Optional.of(preemptible),
              Optional.empty());
      Job job = Job.submitted(spec, JobState.WAITING, sequence, submitted, 0);
      LiveJob live = new LiveJob(job, queue);
      turns.add(Turn.of(live));
      Turn own = new Turn(queue);
      own.setCandidate(live);
      turns.add(own);
      for (Route route : queue.routes()) {
        turns.add(Turn.of(live, route.pool()));
      }
    }

    Turn pick() {
      return turns.get(random.nextInt(turns.size()));
    }
  }

  private static long sequence(Turn turn) {
    LiveJob head = turn.head();
    return head == null ? -1 : head.sequence();
  }

  @Test
  void oneOfTwoJobsIsFirst() {
    for (long seed = 1; seed <= WORLDS; seed++) {
      Waiting waiting = new Waiting(seed);
      for (int i = 0; i < TRIPLES; i++) {
        Turn one = waiting.pick();
        Turn other = waiting.pick();
        assertThat(one.isBefore(one)).as("seed %d: before itself", seed).isFalse();
        if (sequence(one) != sequence(other)) {
          assertThat(one.isBefore(other))
              .as("seed %d: jobs %d and %d", seed, sequence(one), sequence(other))
              .isNotEqualTo(other.isBefore(one));
        }
      }
    }
  }

  @Test
  void whatIsBeforeASecondIsBeforeWhatTheSecondIsBefore() {
    int chains = 0;
    for (long seed = 1; seed <= WORLDS; seed++) {
      Waiting waiting = new Waiting(seed);
      for (int i = 0; i < TRIPLES; i++) {
        Turn one = waiting.pick();
        Turn two = waiting.pick();
        Turn three = waiting.pick();
        if (one.isBefore(two) && two.isBefore(three)) {
          chains++;
          assertThat(one.isBefore(three))
              .as("seed %d: jobs %d, %d, %d", seed, sequence(one), sequence(two), sequence(three))
              .isTrue();
        }
      }
    }
    assertThat(chains).as("triples of one order").isGreaterThan(WORLDS * TRIPLES / 10);
  }
}
