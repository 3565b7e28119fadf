package io.headgate.scheduler;

import io.headgate.kit.grpc.MemoryBrake;
import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.client.HazelcastMembers;
import io.headgate.scheduler.client.PortProbe;
import io.headgate.scheduler.runtime.leadership.Members;
import io.headgate.scheduler.runtime.record.Failpoint;
import io.headgate.scheduler.runtime.record.SchedulerStore;
import io.opentelemetry.api.metrics.Meter;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// The parts that a test or a measurement replaces.
///
/// @param members makes the view of the group, given the secret that all replicas share
/// @param memory makes the brake on new work, given what measures it
/// @param failpoints what happens where a crash matters
/// @param store what the leader writes to, given the usual one
record Surroundings(
    Function<Supplier<byte[]>, Members> members,
    Function<Meter, MemoryBrake> memory,
    Failpoint.Handler failpoints,
    UnaryOperator<SchedulerStore> store) {

  Surroundings(
      Function<Supplier<byte[]>, Members> members,
      Function<Meter, MemoryBrake> memory,
      Failpoint.Handler failpoints) {
    this(members, memory, failpoints, UnaryOperator.identity());
  }

  /// The usual ones.
  static Surroundings of(SchedulerConfig config, TimeSource time) {
    return new Surroundings(
        secret ->
            config.group().address().isPresent()
                ? new HazelcastMembers(config.group(), config.replica(), secret, time)
                : Members.unwatched(PortProbe::isRefused),
        meter -> MemoryBrake.ofHeap(config.bounds().memoryPercent(), meter),
        Failpoint.Handler.NONE);
  }

  Surroundings withStore(UnaryOperator<SchedulerStore> other) {
    return new Surroundings(members, memory, failpoints, other);
  }
}
