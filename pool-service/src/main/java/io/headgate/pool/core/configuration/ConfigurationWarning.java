package io.headgate.pool.core.configuration;

import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import io.headgate.pool.core.name.StorageId;
import io.headgate.type.GpuQuantity;
import java.util.List;

/// A hint for the operator before provisioning; the configuration is allowed.
public sealed interface ConfigurationWarning {
  /// The pool promises more than its nodes have or could ever have.
  ///
  /// @param present GPUs of its nodes
  /// @param growth GPUs that a provider could add
  record Overcommitted(PoolId pool, GpuQuantity capacity, long present, long growth)
      implements ConfigurationWarning {}

  /// No node of the pool has a device that belongs to the pool.
  record NoDevices(PoolId pool, int nodes) implements ConfigurationWarning {}

  /// Nodes of the pool have devices of another model, which stay unused.
  record ForeignDevices(PoolId pool, String model, int foreign, int devices)
      implements ConfigurationWarning {}

  /// Nodes of the static pool were approved with more than its instance has.
  ///
  /// @param example one of them
  /// @param excess what it has too much, in one sentence
  record BeyondInstance(PoolId pool, int nodes, NodeId example, String excess)
      implements ConfigurationWarning {}

  /// Nodes of the pool do not name its storage, so that they get no work.
  ///
  /// @param example one of them
  record StorageMissing(PoolId pool, StorageId storage, int nodes, NodeId example)
      implements ConfigurationWarning {}

  /// The provider of an elastic pool is not there, so no instance comes.
  record MissingProvider(PoolId pool, String provider) implements ConfigurationWarning {}

  /// No profile runs in the pool.
  record UnusedPool(PoolId pool) implements ConfigurationWarning {}

  /// The order names a profile that does not run in the pool.
  record OrderWithoutLink(PoolId pool, int index, ProfileId profile)
      implements ConfigurationWarning {}

  /// One worker needs more than any node of its pools has.
  ///
  /// @param what the amounts in words: `GPUs`, `GPU memory`
  record NeverFits(ProfileId profile, String field, String what, String need, String largest)
      implements ConfigurationWarning {}

  /// Other callers edited the draft, and would lose their edits.
  ///
  /// @param editors their subjects
  record UselessDraft(List<String> editors) implements ConfigurationWarning {
    public UselessDraft {
      editors = List.copyOf(editors);
    }
  }

  /// The pool to remove still has nodes.
  record RemovedWithNodes(PoolId pool, int nodes) implements ConfigurationWarning {}
}
