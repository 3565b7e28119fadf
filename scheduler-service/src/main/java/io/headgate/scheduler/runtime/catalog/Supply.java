package io.headgate.scheduler.runtime.catalog;

import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.ledger.Price;
import io.headgate.scheduler.core.node.Node;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A tenant's provisioned hardware: pools, profiles and links.
///
/// @param version of the tenant's resource configuration
/// @param joint the last change together with rights, up to this version; absent: there was none
public record Supply(
    TenantId tenant,
    long version,
    List<OfferedPool> pools,
    List<Profile> profiles,
    Optional<JointChange> joint) {
  public Supply {
    pools = List.copyOf(pools);
    profiles = List.copyOf(profiles);
  }

  /// Supply before any change together with rights.
  public Supply(TenantId tenant, long version, List<OfferedPool> pools, List<Profile> profiles) {
    this(tenant, version, pools, profiles, Optional.empty());
  }

  /// Whether both offer the same in the same version.
  boolean offersTheSame(Supply other) {
    return version == other.version && pools.equals(other.pools) && profiles.equals(other.profiles);
  }

  /// A pool, before it is known which policies its owner has.
  ///
  /// @param pool without its dedication
  /// @param storage that holds the checkpoints of its jobs; empty: each node's own directory
  /// @param price of its GPUs; empty: it has none
  public record OfferedPool(
      Pool pool, Optional<Owner> dedicatedTo, Optional<String> storage, Optional<Price> price) {
    /// One without shared storage and price.
    public OfferedPool(Pool pool, Optional<Owner> dedicatedTo) {
      this(pool, dedicatedTo, Optional.empty(), Optional.empty());
    }
  }

  /// The owner of a dedicated pool.
  public sealed interface Owner {
    record OfPolicy(String policy) implements Owner {}

    record OfGroup(String group) implements Owner {}
  }

  /// A machine as its agent registered it.
  ///
  /// @param node READY, or DRAINING by the operator's word or in quarantine; whether it is alive is
  ///   not known here
  /// @param simulated its devices do not exist
  /// @param troubles of those of its devices that are not healthy
  /// @param quarantined whether it claims more than was approved, so that it is told no secret
  /// @param undrainedAt when an operator last put it into service; empty: never
  /// @param storages names of the storages that it has a path for
  public record Machine(
      Node node,
      boolean simulated,
      List<DeviceTrouble> troubles,
      boolean quarantined,
      Optional<Instant> undrainedAt,
      List<String> storages) {
    public Machine {
      troubles = List.copyOf(troubles);
      storages = List.copyOf(storages);
    }

    /// One whose devices are healthy.
    public Machine(Node node, boolean simulated) {
      this(node, simulated, List.of(), false, Optional.empty(), List.of());
    }

    /// Whether it has no path for the storage of its pool, so that it takes no work.
    ///
    /// @param storage of its pool; empty: the pool names none
    public boolean lacks(Optional<String> storage) {
      return storage.isPresent() && !storages.contains(storage.get());
    }
  }
}
