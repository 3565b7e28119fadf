package io.headgate.scheduler;

import io.opentelemetry.api.common.AttributeKey;
import java.util.List;

/// The scheduler's metrics: every instrument and attribute. No name of a job or user is ever an
/// attribute, because their number has no bound.
public final class MetricNames {
  private MetricNames() {}

  /// An instrument.
  public record Name(String name, String unit, String description) {}

  private static Name of(String name, String unit, String description) {
    return new Name(name, unit, description);
  }

  public static final AttributeKey<String> TENANT = AttributeKey.stringKey("headgate.tenant");
  public static final AttributeKey<String> POOL = AttributeKey.stringKey("headgate.pool");
  public static final AttributeKey<String> POLICY = AttributeKey.stringKey("headgate.policy");
  public static final AttributeKey<String> QUEUE = AttributeKey.stringKey("headgate.queue");
  public static final AttributeKey<String> REASON = AttributeKey.stringKey("headgate.reason");
  public static final AttributeKey<String> RULE = AttributeKey.stringKey("headgate.rule");
  public static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("headgate.outcome");
  public static final AttributeKey<String> STATE = AttributeKey.stringKey("headgate.state");
  public static final AttributeKey<String> USAGE_KIND =
      AttributeKey.stringKey("headgate.usage.kind");
  public static final AttributeKey<String> PART = AttributeKey.stringKey("headgate.part");
  public static final AttributeKey<String> EFFECT = AttributeKey.stringKey("headgate.effect");
  public static final AttributeKey<String> MODEL = AttributeKey.stringKey("hw.model");
  public static final AttributeKey<String> NODE = AttributeKey.stringKey("headgate.node");

  public static final Name POOL_CAPACITY =
      of("headgate.pool.gpu.capacity", "{gpu}", "GPUs that jobs may use in a pool.");
  public static final Name POOL_USED =
      of("headgate.pool.gpu.used", "{gpu}", "GPUs in use or being freed.");
  public static final Name POOL_HELD =
      of("headgate.pool.gpu.held", "{gpu}", "Free GPUs that are kept for a named job.");
  public static final Name POOL_HELD_IDLE =
      of(
          "headgate.pool.gpu.held.idle",
          "{gpu}",
          "Free GPUs that idle for jobs which were blocked for too long.");
  public static final Name POOL_IDLE = of("headgate.pool.gpu.idle", "{gpu}", "Free GPUs.");
  public static final Name POOL_DOWN =
      of("headgate.pool.gpu.down", "{gpu}", "GPUs on nodes that take no work.");
  public static final Name POLICY_USAGE =
      of("headgate.policy.gpu.usage", "{gpu}", "GPUs that a policy uses.");
  public static final Name POLICY_RESERVATION =
      of("headgate.policy.gpu.reservation", "{gpu}", "GPUs that a policy gets back on demand.");
  public static final Name POLICY_LIMIT =
      of("headgate.policy.gpu.limit", "{gpu}", "GPUs that a policy never exceeds.");
  public static final Name POLICY_DEMAND =
      of("headgate.policy.gpu.demand", "{gpu}", "GPUs that a policy's waiting jobs ask for.");
  public static final Name QUEUE_JOBS =
      of("headgate.queue.jobs", "{job}", "Jobs of a queue that wait or have slices.");
  public static final Name QUEUE_WAITING =
      of("headgate.queue.waiting", "{job}", "Waiting jobs of a queue, by the reason of the first.");
  public static final Name QUEUE_OLDEST_AGE =
      of(
          "headgate.queue.oldest.age",
          "s",
          "Time since the oldest waiting job of a queue was submitted; 0: none waits.");
  public static final Name SERIES_LEFT_OUT =
      of(
          "headgate.series.left_out",
          "{series}",
          "Series of a tenant that are not exported, because it has too many; absent: none.");
  public static final Name HOLD_COUNT =
      of("headgate.hold.count", "{hold}", "Waiting jobs that slices of a pool are kept for.");
  public static final Name HOLD_AGE =
      of("headgate.hold.age", "s", "Age of a pool's oldest hold; 0: there is none.");
  public static final Name AGENT_CONNECTED =
      of("headgate.agent.connected", "{agent}", "1 while a node's agent is connected.");
  public static final Name AGENT_HEARTBEAT_AGE =
      of("headgate.agent.heartbeat.age", "s", "Time since a node's last message.");
  public static final Name SPANS_WRITTEN =
      of("headgate.trace.spans.written", "{span}", "Spans of jobs that the receiver took.");
  public static final Name SPANS_REFUSED =
      of(
          "headgate.trace.spans.refused",
          "{span}",
          "Spans of jobs that the receiver did not take; they are sent again.");
  public static final Name SPANS_DROPPED =
      of(
          "headgate.trace.spans.dropped",
          "{span}",
          "Spans of jobs that no receiver took within an hour.");
  public static final Name QUEUE_LENGTH =
      of("headgate.scheduler.queue.length", "{input}", "Inputs that wait for the loop.");
  public static final Name LEADER =
      of("headgate.scheduler.leader", "1", "1 while this process leads.");
  public static final Name EPOCH =
      of("headgate.scheduler.epoch", "1", "Epoch of the leadership last seen.");

  /// Observed at every collection.
  static final List<Name> GAUGES =
      List.of(
          POOL_CAPACITY,
          POOL_USED,
          POOL_HELD,
          POOL_HELD_IDLE,
          POOL_IDLE,
          POOL_DOWN,
          POLICY_USAGE,
          POLICY_RESERVATION,
          POLICY_LIMIT,
          POLICY_DEMAND,
          QUEUE_JOBS,
          QUEUE_WAITING,
          QUEUE_OLDEST_AGE,
          SERIES_LEFT_OUT,
          HOLD_COUNT,
          HOLD_AGE,
          AGENT_CONNECTED,
          AGENT_HEARTBEAT_AGE,
          QUEUE_LENGTH,
          LEADER,
          EPOCH);

  public static final Name PASS_DURATION =
      of("headgate.scheduler.pass.duration", "s", "Time of a decision.");
  public static final Name COMMIT_DURATION =
      of("headgate.scheduler.commit.duration", "s", "Time of a transaction.");
  public static final Name INPUT_DELAY =
      of("headgate.scheduler.input.delay", "s", "Time that inputs wait for the loop.");
  public static final Name BATCH_SIZE =
      of("headgate.scheduler.batch.size", "{input}", "Inputs of a decision.");
  public static final Name STALE_WRITES =
      of("headgate.scheduler.stale.writes", "{write}", "Writes of a deposed leader, refused.");
  public static final Name TAKEOVER_DURATION =
      of(
          "headgate.scheduler.takeover.duration",
          "s",
          "Time of a part of a take-over: notice (the previous leader was dead, not yet known),"
              + " load, build, report (agents report their jobs).");
  public static final Name DECISIONS =
      of("headgate.scheduler.decisions", "{decision}", "Durable decisions, by effect.");
  public static final Name PREEMPTIONS =
      of("headgate.preemption.count", "{preemption}", "Preempted jobs, by rule and policy.");
  public static final Name FINISHED =
      of("headgate.job.finished", "{job}", "Jobs that ended, by outcome.");
}
