package io.headgate.policy.core.access;

import io.headgate.kit.decision.Outcome;
import io.headgate.kit.decision.Problems;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.ProfileId;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/// Resources as a request describes them: unchecked text.
///
/// @param shares whether profiles name pools of another owner
public record ResourcesSpec(List<ProfileSpec> profiles, List<PoolSpec> pools, boolean shares) {
  public ResourcesSpec {
    profiles = List.copyOf(profiles);
    pools = List.copyOf(pools);
  }

  /// Resources of which all pools are the tenant's own.
  public ResourcesSpec(List<ProfileSpec> profiles, List<PoolSpec> pools) {
    this(profiles, pools, false);
  }

  /// A profile.
  ///
  /// @param gpus of one worker
  /// @param workers 0 means 1
  public record ProfileSpec(String id, String gpus, int workers) {}

  /// A pool.
  ///
  /// @param capacity empty: none
  /// @param grown GPUs of an elastic pool at its maximum; absent: a static pool
  /// @param currency of its price; empty: it has none
  public record PoolSpec(
      String id, String gpuModel, String capacity, OptionalLong grown, String currency) {}

  private record Need(ProfileId profile, GpuQuantity gpus) {}

  /// The resources, or all their problems.
  ///
  /// @param path of the resources in the request
  public Outcome<Resources, Denial> read(String path) {
    Problems<Denial> problems = new Problems<>();
    SpecReader reader = new SpecReader(problems);
    List<Resources.Pool> readPools =
        reader.each(
            path + ".pools", Kind.POOL, pools, PoolSpec::id, (at, pool) -> read(reader, at, pool));
    List<Need> needs =
        reader.each(
            path + ".profiles",
            Kind.PROFILE,
            profiles,
            ProfileSpec::id,
            (at, profile) -> read(reader, at, profile));
    return problems.unless(() -> new Resources(byProfile(needs), readPools, shares));
  }

  private static Optional<Resources.Pool> read(SpecReader reader, String path, PoolSpec spec) {
    Optional<PoolId> id = reader.id(path + ".name", Kind.POOL, spec.id(), PoolId::new);
    Optional<GpuQuantity> capacity =
        spec.capacity().isEmpty()
            ? Optional.empty()
            : reader.quantity(path + ".capacity", spec.capacity());
    Optional<String> currency = Optional.of(spec.currency()).filter(code -> !code.isEmpty());
    return id.map(
        pool -> new Resources.Pool(pool, spec.gpuModel(), capacity, spec.grown(), currency));
  }

  private static Optional<Need> read(SpecReader reader, String path, ProfileSpec spec) {
    Optional<ProfileId> id = reader.id(path + ".name", Kind.PROFILE, spec.id(), ProfileId::new);
    Optional<GpuQuantity> worker = reader.quantity(path + ".gpus", spec.gpus());
    return id.flatMap(profile ->
        worker.map(gpus -> new Need(profile, Resources.need(gpus, Math.max(1, spec.workers())))));
  }

  private static Map<ProfileId, GpuQuantity> byProfile(List<Need> needs) {
    return needs.stream().collect(Collectors.toMap(Need::profile, Need::gpus));
  }
}
