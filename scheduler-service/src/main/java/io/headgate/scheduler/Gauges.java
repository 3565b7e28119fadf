package io.headgate.scheduler;

import io.headgate.scheduler.MetricNames.Name;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.usage.PolicyUsage;
import io.headgate.scheduler.core.usage.PoolUsage;
import io.headgate.scheduler.core.usage.QueueUsage;
import io.headgate.scheduler.runtime.LeaderView;
import io.headgate.type.GpuQuantity;
import io.opentelemetry.api.common.Attributes;
import java.util.ArrayList;
import java.util.List;

/// What stands at one moment, in numbers. Runs on the loop.
final class Gauges {
  private static final double NANOS = 1e9;

  private Gauges() {}

  /// One number.
  record Reading(Name name, double value, Attributes attributes) {}

  static List<Reading> read(LeaderView leader) {
    List<Reading> readings = new ArrayList<>();
    leader.core().pools().forEach(pool -> pool(readings, pool));
    leader.core().policies().forEach(policy -> policy(readings, policy));
    leader.core().queues().forEach(queue -> queue(readings, queue));
    leader.reads().contacts().forEach(contact -> node(readings, contact));
    return readings;
  }

  private static void pool(List<Reading> readings, PoolUsage pool) {
    Attributes of =
        Attributes.of(
            MetricNames.TENANT, pool.pool().tenant().name(), MetricNames.POOL, pool.pool().name());
    readings.add(new Reading(MetricNames.POOL_CAPACITY, gpus(pool.capacity()), of));
    readings.add(new Reading(MetricNames.POOL_USED, gpus(pool.used()), of));
    readings.add(new Reading(MetricNames.POOL_HELD, gpus(pool.held()), of));
    readings.add(new Reading(MetricNames.POOL_IDLE, gpus(pool.idle()), of));
  }

  private static void policy(List<Reading> readings, PolicyUsage policy) {
    Attributes of =
        Attributes.of(
            MetricNames.TENANT,
            policy.policy().tenant().name(),
            MetricNames.POLICY,
            policy.policy().name());
    readings.add(
        new Reading(
            MetricNames.POLICY_USAGE,
            gpus(policy.entitled()),
            of.toBuilder().put(MetricNames.USAGE_KIND, "entitled").build()));
    readings.add(
        new Reading(
            MetricNames.POLICY_USAGE,
            gpus(policy.overReservation()),
            of.toBuilder().put(MetricNames.USAGE_KIND, "over_reservation").build()));
    readings.add(new Reading(MetricNames.POLICY_RESERVATION, gpus(policy.reservation()), of));
    readings.add(new Reading(MetricNames.POLICY_LIMIT, gpus(policy.limit()), of));
  }

  private static void queue(List<Reading> readings, QueueUsage queue) {
    Attributes of =
        Attributes.of(
            MetricNames.TENANT,
            queue.queue().tenant().name(),
            MetricNames.QUEUE,
            queue.queue().name());
    readings.add(
        new Reading(
            MetricNames.QUEUE_JOBS,
            queue.waiting(),
            of.toBuilder().put(MetricNames.STATE, "waiting").build()));
    readings.add(
        new Reading(
            MetricNames.QUEUE_JOBS,
            queue.running(),
            of.toBuilder().put(MetricNames.STATE, "running").build()));
    if (queue.waiting() > 0) {
      String code = queue.headReason().map(Reason::code).orElse("NONE");
      readings.add(
          new Reading(
              MetricNames.QUEUE_WAITING,
              queue.waiting(),
              of.toBuilder().put(MetricNames.REASON, code).build()));
    }
  }

  private static void node(List<Reading> readings, LeaderView.Contact contact) {
    Attributes of =
        Attributes.of(
            MetricNames.TENANT,
            contact.node().tenant().name(),
            MetricNames.NODE,
            contact.node().name());
    boolean isConnected = contact.state() == LeaderView.Contact.State.CONNECTED;
    readings.add(new Reading(MetricNames.AGENT_CONNECTED, isConnected ? 1 : 0, of));
    if (contact.heardAgoNanos() >= 0) {
      readings.add(
          new Reading(MetricNames.AGENT_HEARTBEAT_AGE, contact.heardAgoNanos() / NANOS, of));
    }
  }

  private static double gpus(GpuQuantity quantity) {
    return (double) quantity.units() / GpuQuantity.UNITS_PER_GPU;
  }
}
