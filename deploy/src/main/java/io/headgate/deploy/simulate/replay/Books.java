package io.headgate.deploy.simulate.replay;

import io.headgate.deploy.simulate.replay.BookedJob.Stage;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.simulation.GpuSeconds;
import io.headgate.scheduler.simulation.Scenario;
import io.headgate.scheduler.simulation.SimulationEvent;
import io.headgate.scheduler.simulation.SimulationEvent.StopResult;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Keeps independent books of a replay's events, and checks each event against the rules. It never
/// asks the core.
///
/// - A place has the job's size, on free devices that suit it, and no slice is given twice (A6);
/// - a policy's usage stays within its limit (A2), and the sum of all usage within the machines;
/// - jobs of a queue start in their order: priority, then submission (O5). Jobs that had their turn
///   already and have a hold are exempt;
/// - a job that preempts is entitled, and its victims' policy is above its reservation just before
///   each removal (P1, P2). Within a policy the victim's priority is strictly lower (P9);
/// - an attempt ends when its work is done, or one stop time after the request to stop;
/// - at rest no job waits that its rights let start and that would find a place, unless a job has a
///   hold.
final class Books {
  private static final class Account {
    final Policy policy;

    /// Usage of its attempts, stopping ones included.
    long units;

    long stoppingUnits;

    Account(Policy policy) {
      this.policy = policy;
    }
  }

  private static final Comparator<BookedJob> ORDER =
      Comparator.comparingInt((BookedJob job) -> job.plan.priority())
          .reversed()
          .thenComparingInt(job -> job.number);

  private final MachineBooks machines;
  private final Map<PolicyId, Account> accounts = new LinkedHashMap<>();
  private final Map<ProfileId, Profile> profiles = new HashMap<>();
  private final Map<QueueId, Queue> queues = new HashMap<>();
  private final Map<String, BookedJob> jobs = new LinkedHashMap<>();
  private final Map<QueueId, NavigableSet<BookedJob>> waiting = new LinkedHashMap<>();
  private final Set<BookedJob> holders = new HashSet<>();
  private final long stopMs;
  private long usedUnits;
  private int waitingJobs;
  private final Map<PreemptionRule, Integer> preemptions = new TreeMap<>();
  private GpuSeconds lost = GpuSeconds.ZERO;
  private int starts;
  private int rests;

  Books(Scenario scenario) {
    Catalog catalog = scenario.catalog();
    machines = new MachineBooks(scenario.nodes());
    catalog.policies().forEach(policy -> accounts.put(policy.id(), new Account(policy)));
    catalog.profiles().forEach(profile -> profiles.put(profile.id(), profile));
    catalog.queues().forEach(queue -> queues.put(queue.id(), queue));
    stopMs = scenario.options().stopTime().toMillis();
  }

  /// The trace submits a job.
  void submitted(Scenario.JobPlan plan, long atMs) {
    Queue queue = found(queues.get(plan.queue()), "queue", plan.queue());
    Profile profile = found(profiles.get(queue.profile()), "profile", queue.profile());
    BookedJob job = new BookedJob(plan, profile, queue.policy(), jobs.size(), atMs);
    jobs.put(plan.name(), job);
    line(job).add(job);
    waitingJobs++;
  }

  /// Books a decision of the core, or a consequence of one.
  ///
  /// @throws BrokenInvariantException when a rule is broken
  void happened(SimulationEvent event) {
    long atMs = event.atMs();
    switch (event) {
      case SimulationEvent.Start start -> started(start);
      case SimulationEvent.Preempt preempt -> preempted(preempt);
      case SimulationEvent.Stop stop -> stopped(stop);
      case SimulationEvent.Finish finish -> finished(finish);
      case SimulationEvent.Wait wait -> waits(wait);
      case SimulationEvent.Cancel _,
          SimulationEvent.Draft _,
          SimulationEvent.Scale _,
          SimulationEvent.Join _,
          SimulationEvent.Leave _ ->
          throw new BrokenInvariantException(atMs, "nothing of the trace leads to " + event);
    }
  }

  private void started(SimulationEvent.Start start) {
    BookedJob job = job(start);
    long atMs = start.atMs();
    check(
        job.stage == Stage.WAITING,
        atMs,
        () -> "job %s starts while %s".formatted(job.name(), job.stage));
    check(
        job.plan.queue().name().equals(start.queue()),
        atMs,
        () -> "%s is of another queue".formatted(start));
    for (BookedJob before : line(job).headSet(job)) {
      check(
          holders.contains(job) || holders.contains(before),
          atMs,
          () -> "job %s starts before %s of its queue".formatted(job.name(), before.name()));
    }
    machines
        .take(start.place(), job.profile)
        .ifPresent(wrong -> {
          throw new BrokenInvariantException(atMs, "job " + job.name() + ": " + wrong);
        });
    line(job).remove(job);
    waitingJobs--;
    holders.remove(job);
    job.start(start.place(), atMs);
    use(job, job.need());
    Account account = account(job);
    check(
        account.units <= account.policy.limit().units() && usedUnits <= machines.capacity(),
        atMs,
        () ->
            "with job %s policy %s is above its limit, or the machines are"
                .formatted(job.name(), job.policy));
    starts++;
  }

  private void preempted(SimulationEvent.Preempt preempt) {
    BookedJob victim = job(preempt);
    BookedJob by = found(jobs.get(preempt.by()), "job", preempt.by());
    long atMs = preempt.atMs();
    Account account = account(victim);
    Account gainer = account(by);
    check(
        victim.stage == Stage.RUNNING,
        atMs,
        () -> "%s is a victim while %s".formatted(preempt, victim.stage));
    check(
        by.stage == Stage.WAITING,
        atMs,
        () -> "%s makes room while %s".formatted(preempt, by.stage));
    PreemptionRule rule = PreemptionRule.valueOf(preempt.rule());
    long units = account.units - account.stoppingUnits;
    switch (rule) {
      case P1 -> {
        check(
            gainer.units - gainer.stoppingUnits + by.need() <= gainer.policy.reservation().units(),
            atMs,
            () -> "%s, but job %s is not entitled".formatted(preempt, by.name()));
        check(
            account != gainer && units > account.policy.reservation().units(),
            atMs,
            () ->
                "%s, but policy %s is not above its reservation".formatted(preempt, victim.policy));
      }
      case P9 ->
          check(
              account == gainer && victim.plan.priority() < by.plan.priority(),
              atMs,
              () -> "%s, but the victim's priority is not lower".formatted(preempt));
      case P7, P10, P11 ->
          throw new BrokenInvariantException(atMs, "no profile of the trace allows " + preempt);
    }
    holders.add(by);
    victim.enter(Stage.STOPPING, atMs);
    account.stoppingUnits += victim.need();
    preemptions.merge(rule, 1, Integer::sum);
  }

  private void stopped(SimulationEvent.Stop stop) {
    BookedJob job = job(stop);
    long atMs = stop.atMs();
    check(
        job.stage == Stage.STOPPING
            && atMs == job.sinceMs + stopMs
            && stop.outcome() == StopResult.REQUEUED,
        atMs,
        () -> "%s of a job that is %s since %d ms".formatted(stop, job.stage, job.sinceMs));
    lost = lost.plus(job.need(), job.interrupt());
    account(job).stoppingUnits -= job.need();
    leave(job);
    job.enter(Stage.WAITING, atMs);
    line(job).add(job);
    waitingJobs++;
  }

  private void finished(SimulationEvent.Finish finish) {
    BookedJob job = job(finish);
    long atMs = finish.atMs();
    check(
        job.stage == Stage.RUNNING && atMs == job.doneMs(),
        atMs,
        () ->
            "%s, but it is %s and would be done at %d ms"
                .formatted(finish, job.stage, job.doneMs()));
    leave(job);
    job.enter(Stage.FINISHED, atMs);
  }

  private void waits(SimulationEvent.Wait wait) {
    BookedJob job = job(wait);
    check(job.stage == Stage.WAITING, wait.atMs(), () -> "%s while %s".formatted(wait, job.stage));
    switch (wait.reason()) {
      case "NEVER_FITS" -> {
        line(job).remove(job);
        waitingJobs--;
        job.enter(Stage.NEVER_FITS, wait.atMs());
      }
      case "HOLDING", "WAITING_FOR_VICTIMS" -> holders.add(job);
      default -> holders.remove(job);
    }
  }

  /// Checks the waiting jobs once all events of an instant are booked.
  ///
  /// @throws BrokenInvariantException when a job waits that could run
  void rest(long atMs) {
    rests++;
    if (!holders.isEmpty() || waitingJobs == 0) {
      return;
    }
    Map<Profile, Boolean> fits = new HashMap<>();
    for (NavigableSet<BookedJob> line : waiting.values()) {
      if (line.isEmpty()) {
        continue;
      }
      BookedJob head = line.first();
      Account account = account(head);
      check(
          account.units + head.need() > account.policy.limit().units()
              || leavesHeadroom(head, account, atMs)
              || !fits.computeIfAbsent(head.profile, machines::fits),
          atMs,
          () -> "job %s waits although it would find a place".formatted(head.name()));
    }
  }

  /// Whether another job of the policy may hold the headroom that the job would use (O7).
  private boolean leavesHeadroom(BookedJob head, Account account, long atMs) {
    long limit = account.policy.limit().units();
    for (NavigableSet<BookedJob> line : waiting.values()) {
      BookedJob other = line.isEmpty() ? head : line.first();
      long both = account.units + other.need() + head.need();
      boolean isBlocked = account.units + other.need() > limit;
      boolean isDue = other.sinceMs + other.profile.holdAfter().toMillis() <= atMs;
      if (other.policy.equals(head.policy) && isBlocked && isDue && both > limit) {
        return true;
      }
    }
    return false;
  }

  private void leave(BookedJob job) {
    use(job, -job.need());
    Assignment place = found(job.place, "place of job", job.name());
    machines.give(place);
    job.place = null;
  }

  private void use(BookedJob job, long units) {
    account(job).units += units;
    usedUnits += units;
  }

  private BookedJob job(SimulationEvent.OfJob event) {
    return found(jobs.get(event.job()), "job", event.job());
  }

  private Account account(BookedJob job) {
    return found(accounts.get(job.policy), "policy", job.policy);
  }

  private NavigableSet<BookedJob> line(BookedJob job) {
    return waiting.computeIfAbsent(job.plan.queue(), key -> new TreeSet<>(ORDER));
  }

  private static <T> T found(@Nullable T value, String what, Object name) {
    if (value == null) {
      throw new IllegalArgumentException("no " + what + " " + name);
    }
    return value;
  }

  private static void check(boolean holds, long atMs, Supplier<String> what) {
    if (!holds) {
      throw new BrokenInvariantException(atMs, what.get());
    }
  }

  Collection<BookedJob> jobs() {
    return jobs.values();
  }

  /// Usage of all attempts, stopping ones included, in 1/126000 of a GPU.
  long usedUnits() {
    return usedUnits;
  }

  boolean isAnybodyWaiting() {
    return waitingJobs > 0;
  }

  Map<PreemptionRule, Integer> preemptions() {
    return preemptions;
  }

  GpuSeconds lost() {
    return lost;
  }

  int starts() {
    return starts;
  }

  int rests() {
    return rests;
  }

  long capacity() {
    return machines.capacity();
  }
}
