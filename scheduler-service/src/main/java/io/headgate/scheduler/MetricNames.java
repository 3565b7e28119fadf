package io.headgate.scheduler;

import static io.headgate.kit.telemetry.MetricDefinition.BRIEF;
import static io.headgate.kit.telemetry.MetricDefinition.FEW;
import static io.headgate.kit.telemetry.MetricDefinition.FROM_THE_START;
import static io.headgate.kit.telemetry.MetricDefinition.LONG;
import static io.headgate.kit.telemetry.MetricDefinition.counter;
import static io.headgate.kit.telemetry.MetricDefinition.gauge;
import static io.headgate.kit.telemetry.MetricDefinition.histogram;

import io.headgate.kit.telemetry.MetricDefinition;
import io.opentelemetry.api.common.AttributeKey;
import java.util.List;
import java.util.stream.Stream;

/// The scheduler's metrics: every instrument and attribute.
public final class MetricNames {
  public static final AttributeKey<String> TENANT = AttributeKey.stringKey("headgate.tenant");
  public static final AttributeKey<String> POOL = AttributeKey.stringKey("headgate.pool");
  public static final AttributeKey<String> POLICY = AttributeKey.stringKey("headgate.policy");
  public static final AttributeKey<String> PROFILE = AttributeKey.stringKey("headgate.profile");
  public static final AttributeKey<String> QUEUE = AttributeKey.stringKey("headgate.queue");
  public static final AttributeKey<String> REASON = AttributeKey.stringKey("headgate.reason");
  public static final AttributeKey<String> RULE = AttributeKey.stringKey("headgate.rule");
  public static final AttributeKey<String> BY_POLICY = AttributeKey.stringKey("headgate.by.policy");
  public static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("headgate.outcome");
  public static final AttributeKey<String> STATE = AttributeKey.stringKey("headgate.state");
  public static final AttributeKey<String> PHASE = AttributeKey.stringKey("headgate.phase");
  public static final AttributeKey<Boolean> ENTITLED = AttributeKey.booleanKey("headgate.entitled");
  public static final AttributeKey<String> BASIS = AttributeKey.stringKey("headgate.basis");
  public static final AttributeKey<String> DIRECTION = AttributeKey.stringKey("headgate.direction");
  public static final AttributeKey<String> USAGE_KIND =
      AttributeKey.stringKey("headgate.usage.kind");
  public static final AttributeKey<String> PART = AttributeKey.stringKey("headgate.part");
  public static final AttributeKey<String> EFFECT = AttributeKey.stringKey("headgate.effect");
  public static final AttributeKey<String> KIND = AttributeKey.stringKey("headgate.kind");
  public static final AttributeKey<String> INSTANCE = AttributeKey.stringKey("headgate.instance");
  public static final AttributeKey<String> CURRENCY = AttributeKey.stringKey("headgate.currency");
  public static final AttributeKey<String> BUDGET = AttributeKey.stringKey("headgate.budget");
  public static final AttributeKey<String> BUDGET_LEVEL =
      AttributeKey.stringKey("headgate.budget.level");
  public static final AttributeKey<String> MODEL = AttributeKey.stringKey("hw.model");
  public static final AttributeKey<String> NODE = AttributeKey.stringKey("headgate.node");
  public static final AttributeKey<String> VERSION =
      AttributeKey.stringKey("headgate.agent.version");

  public static final MetricDefinition POOL_CAPACITY =
      pool("capacity", "GPUs of a pool that jobs may use");
  public static final MetricDefinition POOL_USED =
      pool("used", "GPUs in use or being freed: `entitled`, `over_reservation` or `above_limit`")
          .with(USAGE_KIND);
  public static final MetricDefinition POOL_HELD =
      pool("held", "free GPUs that a hold keeps for a named job");
  public static final MetricDefinition POOL_HELD_IDLE =
      pool(
          "held.idle",
          "the part of the held GPUs that idles for jobs blocked for longer than `holdAfter` (O7)");
  public static final MetricDefinition POOL_IDLE = pool("idle", "free GPUs");
  public static final MetricDefinition POOL_UNUSABLE =
      pool(
          "unusable",
          "the part of the idle GPUs that no job of the pool's queues can take at present: by"
              + " ceiling, geometry, CPUs or memory");
  public static final MetricDefinition POOL_DOWN = pool("down", "GPUs on nodes that take no work");
  public static final MetricDefinition HOLD_COUNT =
      gauge(
          "headgate.hold.count",
          "{hold}",
          "waiting jobs for which slices of a pool are held",
          TENANT,
          POOL);
  public static final MetricDefinition HOLD_AGE =
      gauge(
          "headgate.hold.age", "s", "age of a pool's oldest hold; 0: there is none", TENANT, POOL);

  public static final MetricDefinition POLICY_USAGE =
      gauge(
          "headgate.policy.gpu.usage",
          "{gpu}",
          "GPUs that a policy uses: `entitled`, `over_reservation` or `above_limit`",
          TENANT,
          POLICY,
          USAGE_KIND);
  public static final MetricDefinition POLICY_RESERVATION =
      policy("reservation", "GPUs that a policy gets back on demand");
  public static final MetricDefinition POLICY_LIMIT =
      policy("limit", "GPUs that a policy does not exceed without a grant");
  public static final MetricDefinition POLICY_DEMAND =
      policy("demand", "GPUs that a policy's waiting jobs ask for");

  public static final MetricDefinition PROFILE_JOBS =
      gauge(
          "headgate.profile.jobs",
          "{job}",
          "jobs of a profile that are `waiting` or `running` (have slices)",
          TENANT,
          PROFILE,
          STATE);
  public static final MetricDefinition PROFILE_USAGE =
      gauge(
          "headgate.profile.gpu.usage",
          "{gpu}",
          "GPUs that running jobs of a profile have",
          TENANT,
          PROFILE);
  public static final MetricDefinition PROFILE_DEMAND =
      gauge(
          "headgate.profile.gpu.demand",
          "{gpu}",
          "GPUs that waiting jobs of a profile ask for",
          TENANT,
          PROFILE);

  public static final MetricDefinition QUEUE_JOBS =
      queue(
          "headgate.queue.jobs",
          "{job}",
          "jobs of a queue that are `waiting` or `running` (have slices)",
          STATE);
  public static final MetricDefinition QUEUE_WAITING =
      queue(
          "headgate.queue.waiting",
          "{job}",
          "waiting jobs of a queue, by the reason of its first one",
          REASON);
  public static final MetricDefinition QUEUE_OLDEST_AGE =
      queue(
          "headgate.queue.oldest.age",
          "s",
          "time since the oldest waiting job was submitted; 0: none waits");

  public static final MetricDefinition SERIES_LEFT_OUT =
      gauge(
              "headgate.series.left_out",
              "{series}",
              "series of a tenant that are not exported: each gauge has at most 1,999, and the"
                  + " tenants with the most lose theirs",
              TENANT)
          .when("some are left out");

  public static final MetricDefinition BUDGET_USE =
      gauge(
              "headgate.budget.use",
              "1",
              "used part of a budget, above 1 where jobs went on; by `tenant`, `department` or"
                  + " `policy`, and its id",
              TENANT,
              BUDGET_LEVEL,
              BUDGET)
          .when("a budget was counted");

  public static final MetricDefinition AGENT_CONNECTED =
      agent("connected", "{agent}", "1 while a node's agent is connected");
  public static final MetricDefinition AGENT_HEARTBEAT_AGE =
      agent("heartbeat.age", "s", "time since the last message of a node");
  public static final MetricDefinition AGENT_LEASE_REMAINING =
      agent(
              "lease.remaining",
              "s",
              "time without contact after which the first job of a node stops by itself")
          .when("jobs run whose policy does not let them run on for ever");

  public static final MetricDefinition QUEUE_LENGTH =
      gauge(
          "headgate.scheduler.queue.length", "{input}", "inputs that wait for the loop", INSTANCE);
  public static final MetricDefinition LEADER =
      gauge("headgate.scheduler.leader", "1", "1 while this process leads", INSTANCE);
  public static final MetricDefinition EPOCH =
      gauge("headgate.scheduler.epoch", "1", "the epoch of leadership last seen", INSTANCE);

  public static final MetricDefinition SPANS_WRITTEN =
      spans("written", "spans of jobs that the receiver took");
  public static final MetricDefinition SPANS_REFUSED =
      spans("refused", "spans of jobs that the receiver did not take; they are sent again");
  public static final MetricDefinition SPANS_DROPPED =
      spans("dropped", "spans of jobs that no receiver took within an hour");

  public static final MetricDefinition GPU_TIME =
      counter(
          "headgate.gpu.time",
          "s",
          "GPU-seconds since the leader began: `entitled`, `over_reservation`, `above_limit` and"
              + " `lost` of policies; `held`, `idle` and `down` of pools, without a policy",
          TENANT,
          POLICY,
          POOL,
          USAGE_KIND);
  public static final MetricDefinition GPU_COST =
      counter(
              "headgate.gpu.cost",
              "{currency}",
              "what that use costs at the prices of that time",
              TENANT,
              POLICY,
              POOL,
              CURRENCY)
          .when("a pool has a price");
  public static final MetricDefinition PREEMPTION_LOST =
      counter(
              "headgate.preemption.lost",
              "s",
              "GPU-seconds of work that preemption lost, by the victims' policy",
              TENANT,
              POLICY)
          .atZero("with its policy, while at most 1,999 policies exist");

  /// Counters that are read when metrics are collected.
  static final List<MetricDefinition> OBSERVED_COUNTERS =
      List.of(GPU_TIME, GPU_COST, PREEMPTION_LOST);

  /// Observed at every collection.
  static final List<MetricDefinition> GAUGES =
      List.of(
          POOL_CAPACITY,
          POOL_USED,
          POOL_HELD,
          POOL_HELD_IDLE,
          POOL_IDLE,
          POOL_UNUSABLE,
          POOL_DOWN,
          HOLD_COUNT,
          HOLD_AGE,
          POLICY_USAGE,
          POLICY_RESERVATION,
          POLICY_LIMIT,
          POLICY_DEMAND,
          PROFILE_JOBS,
          PROFILE_USAGE,
          PROFILE_DEMAND,
          QUEUE_JOBS,
          QUEUE_WAITING,
          QUEUE_OLDEST_AGE,
          SERIES_LEFT_OUT,
          BUDGET_USE,
          AGENT_CONNECTED,
          AGENT_HEARTBEAT_AGE,
          AGENT_LEASE_REMAINING,
          QUEUE_LENGTH,
          LEADER,
          EPOCH);

  public static final MetricDefinition WAIT_DURATION =
      histogram(
          "headgate.job.wait.duration",
          "s",
          "time that a job waited before an attempt of it",
          LONG,
          TENANT,
          QUEUE,
          POLICY,
          PROFILE,
          ENTITLED);
  public static final MetricDefinition RUN_DURATION =
      histogram(
          "headgate.job.run.duration",
          "s",
          "time that an attempt ran; whether it was entitled at its end",
          LONG,
          TENANT,
          QUEUE,
          POLICY,
          PROFILE,
          ENTITLED);
  public static final MetricDefinition ETA_ERROR =
      histogram(
              "headgate.job.eta.error",
              "s",
              "time between the expected start that was first shown and the start, which was"
                  + " `early` or `late`; by a `hold` of capacity or of `headroom`",
              LONG,
              TENANT,
              QUEUE,
              BASIS,
              DIRECTION)
          .when("a job with an expected start started");
  public static final MetricDefinition FINISHED =
      counter(
              "headgate.job.finished",
              "{job}",
              "ended jobs, by their final state",
              TENANT,
              QUEUE,
              POLICY,
              PROFILE,
              OUTCOME)
          .atZero("with its queue, for the first 20 queues of a tenant and 200 in all");
  public static final MetricDefinition PREEMPTIONS =
      counter(
              "headgate.preemption.count",
              "{preemption}",
              "preempted jobs, by rule, policy of the victim, and policy of the preemptor (empty:"
                  + " of another tenant)",
              TENANT,
              RULE,
              POLICY,
              BY_POLICY)
          .when("a job was preempted");
  public static final MetricDefinition STOP_DURATION =
      histogram(
              "headgate.preemption.stop.duration",
              "s",
              "one phase of the stop of a preempted job: `suspend`, `callback`, `term`, `kill` or"
                  + " `cleanup`",
              BRIEF,
              TENANT,
              PHASE,
              OUTCOME)
          .when("a job was preempted");
  public static final MetricDefinition DECISIONS =
      counter(
              "headgate.scheduler.decisions",
              "{decision}",
              "durable decisions: `start`, `preempt`, `hold`, `release`",
              EFFECT)
          .atZero(FROM_THE_START);
  public static final MetricDefinition PASS_DURATION =
      histogram("headgate.scheduler.pass.duration", "s", "time of a decision", BRIEF);
  public static final MetricDefinition COMMIT_DURATION =
      histogram("headgate.scheduler.commit.duration", "s", "time of a transaction", BRIEF);
  public static final MetricDefinition INPUT_DELAY =
      histogram(
          "headgate.scheduler.input.delay", "s", "time that an input waits for the loop", BRIEF);
  public static final MetricDefinition BATCH_SIZE =
      histogram("headgate.scheduler.batch.size", "{input}", "inputs of a decision", FEW);
  public static final MetricDefinition TAKEOVER_DURATION =
      histogram(
          "headgate.scheduler.takeover.duration",
          "s",
          "a part of a take-over: `notice` (the previous leader was dead, not yet known), `load`,"
              + " `build`, `report` (agents report their jobs)",
          BRIEF,
          PART);
  public static final MetricDefinition STALE_WRITES =
      counter("headgate.scheduler.stale.writes", "{write}", "refused writes of a deposed leader")
          .atZero(FROM_THE_START);
  public static final MetricDefinition VIOLATIONS =
      counter(
              "headgate.scheduler.invariant.violations",
              "{violation}",
              "faults after which a leader no longer trusted its state: `loop` (a decision failed),"
                  + " `database` (it lacks batches that were durable)",
              KIND)
          .atZero(FROM_THE_START);

  /// All of them, in the order of the reference.
  public static final List<MetricDefinition> ALL =
      Stream.concat(
              Stream.concat(GAUGES.stream(), OBSERVED_COUNTERS.stream()),
              Stream.of(
                  WAIT_DURATION,
                  RUN_DURATION,
                  ETA_ERROR,
                  FINISHED,
                  PREEMPTIONS,
                  STOP_DURATION,
                  DECISIONS,
                  PASS_DURATION,
                  COMMIT_DURATION,
                  INPUT_DELAY,
                  BATCH_SIZE,
                  TAKEOVER_DURATION,
                  SPANS_WRITTEN,
                  SPANS_REFUSED,
                  SPANS_DROPPED,
                  STALE_WRITES,
                  VIOLATIONS))
          .toList();

  private MetricNames() {}

  private static MetricDefinition pool(String what, String meaning) {
    return gauge("headgate.pool.gpu." + what, "{gpu}", meaning, TENANT, POOL, MODEL);
  }

  private static MetricDefinition policy(String what, String meaning) {
    return gauge("headgate.policy.gpu." + what, "{gpu}", meaning, TENANT, POLICY);
  }

  private static MetricDefinition queue(
      String name, String unit, String meaning, AttributeKey<?>... more) {
    MetricDefinition queue = gauge(name, unit, meaning, TENANT, QUEUE, POLICY, PROFILE);
    for (AttributeKey<?> attribute : more) {
      queue = queue.with(attribute);
    }
    return queue;
  }

  private static MetricDefinition spans(String what, String meaning) {
    return counter("headgate.trace.spans." + what, "{span}", meaning)
        .when("`telemetry.otlp-endpoint` is set")
        .atZero(FROM_THE_START);
  }

  private static MetricDefinition agent(String what, String unit, String meaning) {
    return gauge("headgate.agent." + what, unit, meaning, TENANT, NODE, VERSION);
  }
}
