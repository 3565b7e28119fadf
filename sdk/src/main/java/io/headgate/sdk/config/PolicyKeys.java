package io.headgate.sdk.config;

import static io.headgate.sdk.config.ConfigurationKeys.QUANTITY;

import io.headgate.sdk.config.FileKey.BoundedDurationKey;
import io.headgate.sdk.config.FileKey.DurationKey;
import io.headgate.sdk.config.FileKey.FlagKey;
import io.headgate.sdk.config.FileKey.IntegerKey;
import io.headgate.sdk.config.FileKey.KeywordKey;
import io.headgate.sdk.config.FileKey.OptionalKeywordKey;
import io.headgate.sdk.config.FileKey.PlainKey;
import io.headgate.sdk.config.FileKey.Section;
import java.time.Duration;

/// The keys of departments, policies and queues in a configuration file.
final class PolicyKeys {
  private static final int MOST_RANK = 1_000_000;

  /// As policy-service: the scheduler multiplies usages by weights.
  private static final int MOST_WEIGHT = 10_000;

  static final OptionalKeywordKey<Budget.Per> PER =
      new OptionalKeywordKey<>(
          "per",
          Budget.Per.class,
          FileKey.REQUIRED,
          "Period after which the budget begins anew, in UTC.");
  static final IntegerKey WARN_AT =
      new IntegerKey(
          "warnAt",
          Budget.DEFAULT_WARN_AT,
          1,
          100,
          "Percentage of the budget from which the scheduler warns.");
  static final KeywordKey<Budget.WhenSpent> WHEN_SPENT =
      new KeywordKey<>(
          "whenSpent",
          Budget.WhenSpent.WARN,
          "When all is used: `warn` only says so, `yield` reserves nothing for the jobs, `wait`"
              + " starts none, `stop` also stops running ones.");

  private static final String AMOUNT = "above 0; at most 12 digits and 6 decimals";

  static final Section BUDGET =
      Section.of(
          "budget, departments[].budget, policies[].budget",
          "GPU time or money that jobs may use in a period. It has either `gpuHours` or `cost`.",
          new PlainKey("gpuHours", "decimal number", "", AMOUNT, "GPU-hours."),
          new PlainKey(
              "cost", "decimal number", "", AMOUNT, "Money, at the prices of the pools then."),
          new PlainKey(
              "currency",
              "text",
              "required with cost",
              "3 capital letters",
              "Currency of the cost; use of pools with another one does not count."),
          PER,
          WARN_AT,
          WHEN_SPENT);

  static final IntegerKey DEPARTMENT_WEIGHT =
      new IntegerKey(
          "weight",
          1,
          1,
          MOST_WEIGHT,
          "Share of idle capacity above reservations, relative to its siblings.");

  static final Section DEPARTMENTS =
      Section.of(
          "departments[]",
          "A level between the tenant and its policies: what one member leaves unused of the"
              + " reservation goes to the others first.",
          FileKey.declaration("Name of the department."),
          new PlainKey(
              "department",
              "name",
              "",
              "declared under departments; at most 5 inside one another",
              "Department above it."),
          FileKey.of(
              "reservation",
              QUANTITY,
              "the sum of its members",
              "GPUs that its members together can reclaim."),
          FileKey.of("limit", QUANTITY, "", "Most GPUs that its members together may use."),
          DEPARTMENT_WEIGHT,
          FileKey.of(
              "budget", "mapping", "", "GPU time or money for its members together in a period."));

  static final IntegerKey WEIGHT =
      new IntegerKey(
          "weight",
          1,
          1,
          MOST_WEIGHT,
          "Share of idle capacity, relative to its siblings; ranks go first.");
  static final KeywordKey<Policy.OnPreempt> ON_PREEMPT =
      new KeywordKey<>(
          "onPreempt", Policy.OnPreempt.REQUEUE, "Fate of a preempted job of this policy.");
  static final DurationKey MIN_RUNTIME =
      new DurationKey(
          "minRuntime", Duration.ZERO, "A job is not preempted before it has run this long.");
  static final FlagKey PREEMPTIBLE =
      new FlagKey(
          "preemptible", true, "Jobs may be preempted, unless a job says otherwise for itself.");
  static final KeywordKey<Policy.PreemptWithin> PREEMPT_WITHIN =
      new KeywordKey<>(
          "preemptWithin",
          Policy.PreemptWithin.NEVER,
          "Whether a job may preempt jobs of its own policy with a lower priority.");
  static final DurationKey STOP_AFTER =
      new DurationKey(
          "stopAfter",
          Policy.DEFAULT_STOP_AFTER,
          "A node without contact to the scheduler stops jobs after this time; `never` keeps"
              + " them.");

  static final DurationKey PREEMPT_AFTER =
      new DurationKey("preemptAfter", Duration.ZERO, "A job waits this long before it preempts.");
  static final BoundedDurationKey CALLBACK =
      new BoundedDurationKey(
          "callback",
          Duration.ofMillis(1),
          Duration.ofMinutes(30),
          "3m",
          "Longest time of the abort callback.");
  static final BoundedDurationKey TERMINATE =
      new BoundedDurationKey(
          "terminate",
          Duration.ZERO,
          Duration.ofMinutes(10),
          "10s",
          "Time between SIGTERM and SIGKILL.");

  static final Section GRACE =
      Section.of(
          "policies[].grace",
          "Defaults of the policy's jobs; a job may state less. Without a key, a job may also state"
              + " more, up to the bound.",
          CALLBACK,
          TERMINATE);

  static final Section POLICIES =
      Section.of(
          "policies[]",
          "The rights of one group, and the queues that its users submit to.",
          FileKey.declaration("Name of the policy."),
          FileKey.reference("group", "groups", FileKey.REQUIRED, "Group that the policy is for."),
          FileKey.reference(
              "department", "departments", "", "Department that the policy belongs to."),
          FileKey.of(
              "reservation", QUANTITY, "0", "GPUs that the policy can reclaim by preemption."),
          FileKey.of(
              "limit", QUANTITY, FileKey.REQUIRED, "Most GPUs that the policy's jobs may use."),
          WEIGHT,
          FileKey.of("perUserLimit", QUANTITY, "", "Most GPUs that one user's jobs may use."),
          FileKey.of(
              "exceedLimit",
              "list of names",
              "",
              "Users of the group whose jobs may use idle capacity above the limit."),
          ON_PREEMPT,
          MIN_RUNTIME,
          PREEMPT_AFTER,
          FileKey.of("grace", "mapping", "", "Time that a stop leaves to jobs, by default."),
          PREEMPTIBLE,
          PREEMPT_WITHIN,
          STOP_AFTER,
          FileKey.of(
              "budget", "mapping", "", "GPU time or money for the policy's jobs in a period."),
          FileKey.DESCRIPTION,
          FileKey.list("queues", "Queues of the policy, at most one for each profile."));

  static final IntegerKey RANK =
      new IntegerKey(
          "rank", 1, 1, MOST_RANK, "Order among queues, of all profiles; 1 is served first.");
  static final KeywordKey<Policy.OverReservation> OVER_RESERVATION =
      new KeywordKey<>(
          "overReservation",
          Policy.OverReservation.ALLOW,
          "Whether jobs may start above the reservation, of a level above it too.");

  static final Section QUEUES =
      Section.of(
          "policies[].queues[]",
          "A queue connects a policy with a profile. Users submit jobs to it.",
          FileKey.declaration("Name of the queue."),
          FileKey.reference("profile", "profiles", FileKey.REQUIRED, "Size of the queue's jobs."),
          RANK,
          OVER_RESERVATION);

  private PolicyKeys() {}
}
