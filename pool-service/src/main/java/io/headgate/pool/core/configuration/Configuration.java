package io.headgate.pool.core.configuration;

import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The pools and profiles of a tenant with their links. References are valid: no profile names an
/// absent pool, no order an absent profile.
///
/// @param pools by id
/// @param profiles by id
public record Configuration(List<Pool> pools, List<Profile> profiles) {
  /// Upper bound of pools, and of profiles.
  public static final int MAX_ITEMS = 1000;

  public static final Configuration EMPTY = new Configuration(List.of(), List.of());

  public Configuration {
    pools = pools.stream().sorted(Comparator.comparing(Pool::id)).toList();
    profiles = profiles.stream().sorted(Comparator.comparing(Profile::id)).toList();
  }

  public Optional<Pool> pool(PoolId id) {
    return pools.stream().filter(pool -> pool.id().equals(id)).findFirst();
  }

  public Optional<Profile> profile(ProfileId id) {
    return profiles.stream().filter(profile -> profile.id().equals(id)).findFirst();
  }

  /// With the pool added, or in place of the pool with its id.
  public Configuration with(Pool pool) {
    Stream<Pool> others = pools.stream().filter(other -> !other.id().equals(pool.id()));
    return new Configuration(Stream.concat(others, Stream.of(pool)).toList(), profiles);
  }

  /// With the profile added, or in place of the profile with its id.
  public Configuration with(Profile profile) {
    Stream<Profile> others = profiles.stream().filter(other -> !other.id().equals(profile.id()));
    return new Configuration(pools, Stream.concat(others, Stream.of(profile)).toList());
  }

  /// Without the pool and its links.
  public Configuration without(PoolId id) {
    return new Configuration(
        pools.stream().filter(pool -> !pool.id().equals(id)).toList(),
        profiles.stream().map(profile -> profile.without(id)).toList());
  }

  /// Without the profile and its position in the orders of pools.
  public Configuration without(ProfileId id) {
    List<Profile> kept = new ArrayList<>(profiles);
    kept.removeIf(profile -> profile.id().equals(id));
    return new Configuration(pools.stream().map(pool -> pool.without(id)).toList(), kept);
  }
}
