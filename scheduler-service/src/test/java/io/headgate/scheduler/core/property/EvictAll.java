package io.headgate.scheduler.core.property;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// An independent model of the distribution of GPUs: evict all evictable attempts, place all jobs
/// again in their order, compare. It does not know prefixes, the order of victims or the return of
/// spared victims. It shares only the counting of room ([Space]) with the other checks.
///
/// *The GPUs that an entitled job could get* ([#couldServe]): whether the job fits after the
/// removal of every attempt that some rule lets go. Such an attempt is preemptible, unprotected, on
/// a node that takes work, not dedicated, and of a policy that is above its reservation now. P2 is
/// asked once, before the first removal, and not before each; so the result is an upper bound. It
/// follows:
///
/// - A job that preempts under P1 could be served. This holds in every world.
/// - A job that could be served does not wait. This holds where every job has the size of every
///   place, and machines have all devices on which something runs: there one victim is always
///   enough, and any first victim serves. It does not follow from the rules elsewhere. P3 fixes the
///   order of victims, and earlier victims may use up a policy's over-reservation use before the
///   one that would have made room ([EvictAllTest] has the case).
///
/// *All placed again* ([#entitledAfterPlacingAgain]): the number of GPUs in use within reservations
/// after these attempts and all waiting jobs are placed anew, the best-ranked first. A job that
/// pauses after a rejection waits for no GPU. Where every job is of one GPU and no attempt is
/// stopping, the core gives at least as much: entitled jobs get all that entitled jobs could get,
/// whatever the history. The policies that get it may differ where reservations exceed the GPUs. No
/// policy within its reservation loses a job to another, so the earlier one keeps its GPUs.
final class EvictAll {
  private final Reference rules;
  private final Shadow shadow;
  private final Set<AttemptId> evicted = new HashSet<>();

  EvictAll(Reference rules) {
    this.rules = rules;
    this.shadow = rules.shadow;
    Victims victims = new Victims(rules);
    for (Attempt attempt : shadow.attempts.values()) {
      if (victims.isAtDisposal(attempt)) {
        evicted.add(attempt.id());
      }
    }
  }

  /// Whether the job fits somewhere when all have gone.
  boolean couldServe(Job job) {
    return rules.fitsWithout(job, evicted);
  }

  // --- Jobs of one GPU in one pool.

  /// The GPUs of a policy while all jobs are placed again.
  private static final class Book {
    long standing;
    long nonPreemptible;
    final Map<UserId, Long> byUser = new HashMap<>();

    void add(UserId user, boolean preemptible) {
      standing++;
      nonPreemptible += preemptible ? 0 : 1;
      byUser.merge(user, 1L, Long::sum);
    }
  }

  /// Whole GPUs in use within reservations as things stand.
  long entitledNow() {
    long sum = 0;
    for (Policy policy : shadow.catalog.policies()) {
      long standing = rules.standing(policy.id(), Set.of());
      sum += Math.min(standing, policy.reservation().units()) / UNITS_PER_GPU;
    }
    return sum;
  }

  /// GPUs in use within reservations after all evicted and all waiting jobs have been placed again.
  ///
  /// @param pool the only one
  long entitledAfterPlacingAgain(Pool pool) {
    Map<PolicyId, Book> books = new LinkedHashMap<>();
    shadow.catalog.policies().forEach(policy -> books.put(policy.id(), new Book()));
    List<Job> candidates = new ArrayList<>();
    for (Job job : shadow.live()) {
      Optional<Attempt> attempt = shadow.attempt(job.id());
      if (attempt.isPresent() && !evicted.contains(attempt.get().id())) {
        Book book = books.get(attempt.get().policy());
        if (book != null) {
          book.add(job.spec().user(), attempt.get().preemptible());
        }
      } else if (attempt.isPresent()
          || (job.state() == JobState.WAITING && !shadow.backedOff.contains(job.id()))) {
        candidates.add(job);
      }
    }
    long idle = idle(pool);
    while (idle > 0) {
      Job next = null;
      for (Job job : firsts(candidates, books)) {
        next = next == null || isBefore(job, next, books, pool) ? job : next;
      }
      if (next == null) {
        break;
      }
      candidates.remove(next);
      book(next, books).add(next.spec().user(), rules.preemptible(next));
      idle--;
    }
    long sum = 0;
    for (Map.Entry<PolicyId, Book> entry : books.entrySet()) {
      long reservation = rules.reservation(entry.getKey()) / UNITS_PER_GPU;
      sum += Math.min(entry.getValue().standing, reservation);
    }
    return sum;
  }

  private long idle(Pool pool) {
    return rules.space.wholeDevices(pool, evicted);
  }

  private Book book(Job job, Map<PolicyId, Book> books) {
    return books.get(rules.queue(job).policy());
  }

  /// The first job of each queue that its rights let start, given the jobs placed so far.
  private List<Job> firsts(List<Job> candidates, Map<PolicyId, Book> books) {
    Map<QueueId, Job> firsts = new LinkedHashMap<>();
    for (Job job : candidates) {
      if (mayStart(job, books)) {
        firsts.merge(job.spec().queue(), job, (a, b) -> rules.turns.isAhead(a, b) ? a : b);
      }
    }
    return List.copyOf(firsts.values());
  }

  private boolean mayStart(Job job, Map<PolicyId, Book> books) {
    Queue queue = rules.queue(job.spec().queue()).orElse(null);
    if (queue == null
        || !queue.open()
        || !books.containsKey(queue.policy())
        || rules.routes(job).isEmpty()) {
      return false;
    }
    Policy policy = rules.policy(job);
    Book book = book(job, books);
    long with = (book.standing + 1) * UNITS_PER_GPU;
    long users = (book.byUser.getOrDefault(job.spec().user(), 0L) + 1) * UNITS_PER_GPU;
    return with <= policy.limit().units()
        && policy.perUserLimit().map(limit -> users <= limit.units()).orElse(true)
        && (queue.overReservation() || with <= policy.reservation().units())
        && (rules.preemptible(job)
            || (book.nonPreemptible + 1) * UNITS_PER_GPU <= policy.reservation().units());
  }

  private boolean isBefore(Job one, Job two, Map<PolicyId, Book> books, Pool pool) {
    return Comparator.comparing((Job job) -> !isEntitled(job, books))
            .thenComparingInt(job -> rules.turns.position(pool, rules.profile(job).id()))
            .thenComparingInt(job -> rules.queue(job).rank())
            .thenComparingDouble(job -> share(job, books))
            .thenComparingInt(job -> -job.spec().priority())
            .thenComparingLong(Job::sequence)
            .compare(one, two)
        < 0;
  }

  private boolean isEntitled(Job job, Map<PolicyId, Book> books) {
    return (book(job, books).standing + 1) * UNITS_PER_GPU
        <= rules.policy(job).reservation().units();
  }

  private double share(Job job, Map<PolicyId, Book> books) {
    double usage = book(job, books).standing * UNITS_PER_GPU;
    double reservation = rules.policy(job).reservation().units();
    return isEntitled(job, books)
        ? usage / reservation
        : Math.max(0, usage - reservation) / rules.policy(job).weight();
  }
}
