package io.headgate.policy.client;

import io.headgate.policy.core.access.Resources.Machine;
import io.headgate.policy.core.access.ResourcesSpec;
import io.headgate.policy.core.access.ResourcesSpec.PoolSpec;
import io.headgate.policy.core.access.ResourcesSpec.ProfileSpec;
import io.headgate.policy.core.name.TenantId;
import io.headgate.proto.pool.v1.Device;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import java.util.OptionalLong;

/// Extracts the facts that rights depend on from messages of pool-service.
public final class SupplyMapping {
  private SupplyMapping() {}

  /// The facts of a resource configuration, unchecked. The name of another tenant's resource is
  /// passed on whole, so that it is no valid id.
  public static ResourcesSpec resources(TenantId tenant, ResourceConfiguration configuration) {
    String parent = "tenants/" + tenant + "/";
    return new ResourcesSpec(
        configuration.getProfilesList().stream()
            .map(profile ->
                new ProfileSpec(
                    id(parent + "profiles/", profile.getName()),
                    profile.getGpus(),
                    profile.getWorkers()))
            .toList(),
        configuration.getPoolsList().stream()
            .map(pool ->
                new PoolSpec(
                    id(parent + "pools/", pool.getName()),
                    pool.getGpuModel(),
                    pool.getCapacity(),
                    grown(pool),
                    pool.getPricePerGpuHour().isEmpty() ? "" : pool.getCurrency()))
            .toList(),
        configuration.getProfilesList().stream()
            .flatMap(profile -> profile.getPoolsList().stream())
            .anyMatch(pool -> pool.startsWith(TenantId.PLATFORM + "/")));
  }

  static Machine machine(Node node) {
    return new Machine(
        node.getPool(), node.getDevicesList().stream().map(Device::getGpuModel).toList());
  }

  private static OptionalLong grown(Pool pool) {
    return pool.getType() == Pool.Type.TYPE_ELASTIC
        ? OptionalLong.of(
            (long) pool.getElasticity().getMaxInstances()
                * pool.getElasticity().getInstance().getGpus())
        : OptionalLong.empty();
  }

  private static String id(String prefix, String name) {
    return name.startsWith(prefix) ? name.substring(prefix.length()) : name;
  }
}
