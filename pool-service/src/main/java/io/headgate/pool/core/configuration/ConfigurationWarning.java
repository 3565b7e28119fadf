package io.headgate.pool.core.configuration;

import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import io.headgate.type.GpuQuantity;

/// Allowed, but something an operator should know before provisioning.
public sealed interface ConfigurationWarning {
  /// The pool promises more than its machines have, or could ever have.
  ///
  /// @param present GPUs of its nodes
  /// @param growth GPUs that a provider could add
  record Overcommitted(PoolId pool, GpuQuantity capacity, long present, long growth)
      implements ConfigurationWarning {}

  /// No machine of the pool has a device that belongs to it.
  record NoDevices(PoolId pool, int nodes) implements ConfigurationWarning {}

  /// Devices of another model are in the pool and will not be used.
  record ForeignDevices(PoolId pool, String model, int foreign, int devices)
      implements ConfigurationWarning {}

  /// No profile runs in the pool.
  record UnusedPool(PoolId pool) implements ConfigurationWarning {}

  /// The order names a profile that does not run in the pool.
  record OrderWithoutLink(PoolId pool, int index, ProfileId profile)
      implements ConfigurationWarning {}

  /// One worker needs more than any machine of its pools has.
  ///
  /// @param what the word for the amounts: `GPUs`, `GPU memory`
  record NeverFits(ProfileId profile, String field, String what, String need, String largest)
      implements ConfigurationWarning {}

  /// Machines are in a pool that is about to go.
  record RemovedWithNodes(PoolId pool, int nodes) implements ConfigurationWarning {}
}
