package io.headgate.sdk.config;

import io.headgate.type.GpuQuantity;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Hardware of one kind that jobs can run on.
///
/// @param gpuModel only devices of this model belong to it; null: any
/// @param capacity most GPUs in use; null: all GPUs of its live nodes
/// @param mig how its nodes treat the MIG mode of GPUs
/// @param order execution priority: names of profiles, the first goes first
/// @param storage that holds the checkpoints of its jobs; null: each node's own directory
/// @param elasticity how it grows; present exactly for elastic pools
/// @param instance the most that a machine of a static pool has; null: it does not say, or the pool
///   is elastic
public record Pool(
    String name,
    Type type,
    @Nullable String gpuModel,
    @Nullable GpuQuantity capacity,
    Mig mig,
    List<String> order,
    Rules rules,
    @Nullable Dedication dedicatedTo,
    @Nullable BigDecimal pricePerGpuHour,
    @Nullable String currency,
    @Nullable String storage,
    @Nullable Elasticity elasticity,
    @Nullable Instance instance,
    @Nullable String description) {
  public Pool {
    order = List.copyOf(order);
  }

  /// A stand-in for a pool of another owner, of which only the name is known.
  public static Pool shared(String name) {
    return new Pool(
        name,
        Type.STATIC,
        null,
        null,
        Mig.KEEP,
        List.of(),
        Rules.DEFAULT,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  /// The options by which jobs share the pool.
  ///
  /// @param promoteAfter a job that has waited longer starts as of the first position and rank
  ///   (O7); null: never
  /// @param consolidate whether movable jobs are moved to make room (P11)
  /// @param halfLife time after which past use counts half in the fair share (O4); null: past use
  ///   does not count
  public record Rules(
      @Nullable Duration promoteAfter, boolean consolidate, @Nullable Duration halfLife) {
    public static final Rules DEFAULT = new Rules(null, false, null);
  }

  /// The source of a pool's nodes.
  public enum Type implements Keyword {
    STATIC,
    ELASTIC
  }

  /// The treatment of the MIG mode of GPUs.
  public enum Mig implements Keyword {
    /// Leaves the mode as it is.
    KEEP,
    /// Turns MIG on for GPUs that are free.
    AUTO
  }

  /// The policy or group that alone may use the pool.
  public sealed interface Dedication {
    String owner();

    record ToPolicy(String owner) implements Dedication {}

    record ToGroup(String owner) implements Dedication {}
  }

  /// How an elastic pool grows and shrinks.
  public record Elasticity(
      String provider,
      Map<String, String> settings,
      Instance instance,
      int minInstances,
      int maxInstances,
      Duration idleTimeout,
      boolean spot) {
    public static final Duration DEFAULT_IDLE_TIMEOUT = Duration.ofMinutes(15);

    public Elasticity {
      settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }
  }

  /// The shape of one machine of a pool; zero means none. In a static pool, zero of memory or
  /// processors means that the pool does not say.
  public record Instance(
      int gpus, @Nullable String gpuModel, long gpuMemoryBytes, long cpuMillis, long memoryBytes) {}
}
