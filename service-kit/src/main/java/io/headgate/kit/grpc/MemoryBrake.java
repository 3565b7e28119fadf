package io.headgate.kit.grpc;

import io.grpc.MethodDescriptor;
import io.grpc.ServerInterceptor;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.telemetry.ServiceMetrics;
import io.opentelemetry.api.metrics.Meter;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Refuses new work while the old generation is nearly full after a collection, long before the
/// heap is full. It goes on above a share of the generation, and off [#EASE] percent below it.
///
/// It counts what the last collection left, because garbage is no reason to refuse work. It looks
/// whenever it is asked, so it has no thread. Thread-safe.
public final class MemoryBrake {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryBrake.class);
  private static final Duration RETRY = Duration.ofSeconds(10);

  /// Points of a percent between on and off, so that it does not flutter.
  private static final int EASE = 10;

  private final Supplier<Left> collections;
  private final int percent;
  private final AtomicBoolean on = new AtomicBoolean();

  /// The part of a generation that the last collection left in use.
  ///
  /// @param usedBytes 0 before the first collection
  /// @param maxBytes above 0
  record Left(long usedBytes, long maxBytes) {
    int percent() {
      return Math.toIntExact(usedBytes * 100 / maxBytes);
    }
  }

  /// @param percent of the generation above which it is on, 1 to 100
  MemoryBrake(Supplier<Left> collections, int percent) {
    this.collections = collections;
    this.percent = percent;
  }

  /// A brake on this process's old generation.
  ///
  /// @param percent of the generation above which it is on, 1 to 100
  public static MemoryBrake ofHeap(int percent, Meter meter) {
    Optional<MemoryPoolMXBean> old =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .filter(pool -> pool.getName().contains("Old") || pool.getName().contains("Tenured"))
            .filter(pool -> pool.getCollectionUsage() != null)
            .findFirst();
    if (old.isEmpty()) {
      LOG.warn("this Java has no old generation: new work is not refused for want of memory");
    }
    MemoryBrake brake =
        new MemoryBrake(() -> old.map(MemoryBrake::left).orElse(new Left(0, 1)), percent);
    ServiceMetrics.MEMORY_LEFT
        .gauge(meter)
        .ofLongs()
        .buildWithCallback(gauge -> gauge.record(brake.collections.get().usedBytes()));
    ServiceMetrics.MEMORY_BRAKE
        .gauge(meter)
        .ofLongs()
        .buildWithCallback(gauge -> gauge.record(brake.isOn() ? 1 : 0));
    return brake;
  }

  private static Left left(MemoryPoolMXBean pool) {
    MemoryUsage usage = pool.getCollectionUsage();
    long most = usage.getMax() > 0 ? usage.getMax() : Runtime.getRuntime().maxMemory();
    return new Left(usage.getUsed(), most);
  }

  /// Refuses calls of `methods`, which bring new work, while the brake is on. All others go on.
  public ServerInterceptor interceptor(Set<MethodDescriptor<?, ?>> methods) {
    return new BrakedCalls(this, methods);
  }

  /// Whether new work is refused now.
  public boolean isOn() {
    Left left = collections.get();
    if (left.percent() > percent && on.compareAndSet(false, true)) {
      LOG.warn(
          "memory is short: {} of {} MiB are in use after a collection; submissions, watches and"
              + " plans are refused until it is below {} %",
          left.usedBytes() >> 20, left.maxBytes() >> 20, percent - EASE);
    } else if (left.percent() <= percent - EASE && on.compareAndSet(true, false)) {
      LOG.info(
          "memory suffices again: {} of {} MiB are in use after a collection",
          left.usedBytes() >> 20,
          left.maxBytes() >> 20);
    }
    return on.get();
  }

  /// Refuses while it is on.
  ///
  /// @throws io.headgate.kit.failure.RefusalException RESOURCE_EXHAUSTED with reason MEMORY_SHORT
  public void demandOff() {
    if (isOn()) {
      Left left = collections.get();
      throw refusal(
          "the server's memory is short (%d of %d MiB in use, %d %% may be): it takes no new work"
                  .formatted(left.usedBytes() >> 20, left.maxBytes() >> 20, percent)
              + " now; try again later");
    }
  }

  /// Refuses work that needs more memory than was free after the last collection.
  ///
  /// @param bytes that the work needs at once, about
  /// @param work for people: `a plan over 1000 jobs`
  /// @throws io.headgate.kit.failure.RefusalException RESOURCE_EXHAUSTED with reason MEMORY_SHORT
  public void demandRoom(long bytes, String work) {
    Left left = collections.get();
    long free = left.maxBytes() - left.usedBytes();
    if (left.usedBytes() > 0 && bytes > free) {
      throw refusal(
          "%s needs about %d MiB, and the server has %d MiB free; try again later, or give it a larger heap"
              .formatted(work, bytes >> 20, free >> 20));
    }
  }

  private static RuntimeException refusal(String text) {
    return Refusal.exhausted("MEMORY_SHORT", text, RETRY).exception();
  }
}
