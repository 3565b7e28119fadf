package io.headgate.pool.core.configuration;

import io.headgate.kit.decision.NearestWord;
import io.headgate.kit.decision.Outcome;
import io.headgate.kit.decision.Problems;
import io.headgate.pool.core.Denial;
import io.headgate.pool.core.configuration.ConfigurationSpec.PoolSpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.ProfileSpec;
import io.headgate.pool.core.name.Kind;
import io.headgate.pool.core.name.PoolId;
import io.headgate.type.NameRule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Reads a requested configuration, or reports all its problems. Paths name items by their ids:
/// `profiles[half].gpus`.
public final class ConfigurationReader {
  private final Problems<Denial> problems = new Problems<>();
  private final PoolReader pools = new PoolReader(problems);
  private final ProfileReader profiles = new ProfileReader(problems);

  /// The pools of other owners that profiles may name.
  private final Set<PoolId> shared;

  private ConfigurationReader(Set<PoolId> shared) {
    this.shared = shared;
  }

  /// Reads a whole configuration that is complete enough to be provisioned.
  ///
  /// @param shared pools of other owners that profiles may name
  public static Outcome<Configuration, Denial> read(ConfigurationSpec spec, Set<PoolId> shared) {
    return new ConfigurationReader(shared).whole(spec);
  }

  /// `base` with one pool added, or in place of the pool with its id.
  public static Outcome<Configuration, Denial> with(Configuration base, PoolSpec spec) {
    ConfigurationReader reader = new ConfigurationReader(Set.of());
    Optional<Pool> pool = reader.pools.read("pool", spec);
    Configuration next = pool.map(base::with).orElse(base);
    reader.requireKnown("pool.profile_order", Kind.PROFILE, spec.order(), profileIds(next));
    reader.requireFew("pool", Kind.POOL, next.pools().size());
    return reader.problems.unless(() -> next);
  }

  /// `base` with one profile added, or in place of the profile with its id. A draft is built in
  /// steps, so the profile may have no pools yet.
  ///
  /// @param shared pools of other owners that profiles may name
  public static Outcome<Configuration, Denial> with(
      Configuration base, ProfileSpec spec, Set<PoolId> shared) {
    ConfigurationReader reader = new ConfigurationReader(shared);
    Optional<Profile> profile = reader.profiles.read("profile", spec);
    Configuration next = profile.map(base::with).orElse(base);
    reader.requireKnown("profile.pools", Kind.POOL, spec.pools(), reader.withShared(poolIds(next)));
    reader.requireFew("profile", Kind.PROFILE, next.profiles().size());
    return reader.problems.unless(() -> next);
  }

  /// The parts that a draft lacks to be provisioned.
  public static List<Denial> missing(Configuration configuration) {
    List<Denial> missing = new ArrayList<>();
    for (Profile profile : configuration.profiles()) {
      if (profile.pools().isEmpty()) {
        String field = "profiles[" + profile.id() + "].pools";
        missing.add(
            new Denial.Incomplete(new Denial.ProfileWithoutPool(field, profile.id().value())));
      }
    }
    return missing;
  }

  private Outcome<Configuration, Denial> whole(ConfigurationSpec spec) {
    // References are checked against all names, valid or not, so that one mistake is reported once.
    Set<String> poolNames = new TreeSet<>();
    spec.pools().forEach(pool -> poolNames.add(pool.id()));
    Set<String> profileNames = new TreeSet<>();
    spec.profiles().forEach(profile -> profileNames.add(profile.id()));

    List<Pool> readPools = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < spec.pools().size(); i++) {
      PoolSpec asked = spec.pools().get(i);
      String path = path("pools", asked.id(), i);
      pools.read(path, asked).ifPresent(readPools::add);
      requireNew(path, Kind.POOL, asked.id(), seen.add(asked.id()));
      requireKnown(path + ".profile_order", Kind.PROFILE, asked.order(), profileNames);
    }
    List<Profile> readProfiles = new ArrayList<>();
    seen.clear();
    for (int i = 0; i < spec.profiles().size(); i++) {
      ProfileSpec asked = spec.profiles().get(i);
      String path = path("profiles", asked.id(), i);
      profiles.read(path, asked).ifPresent(readProfiles::add);
      requireNew(path, Kind.PROFILE, asked.id(), seen.add(asked.id()));
      requireKnown(path + ".pools", Kind.POOL, asked.pools(), withShared(poolNames));
      if (asked.pools().isEmpty()) {
        problems.add(new Denial.ProfileWithoutPool(path + ".pools", asked.id()));
      }
    }
    requireFew("pools", Kind.POOL, spec.pools().size());
    requireFew("profiles", Kind.PROFILE, spec.profiles().size());
    return problems.unless(() -> new Configuration(readPools, readProfiles));
  }

  private void requireNew(String path, Kind kind, String id, boolean isNew) {
    if (!isNew) {
      problems.add(new Denial.Duplicate(path + ".name", kind, id));
    }
  }

  private void requireKnown(String field, Kind kind, List<String> named, Set<String> known) {
    for (int i = 0; i < named.size(); i++) {
      String id = named.get(i);
      boolean isName = NameRule.isValid(id) || (kind == Kind.POOL && PoolId.isShared(id));
      if (isName && !known.contains(id)) {
        problems.add(
            new Denial.Unknown(field + "[" + i + "]", kind, id, NearestWord.of(id, known)));
      }
    }
  }

  private Set<String> withShared(Set<String> own) {
    Set<String> all = new TreeSet<>(own);
    shared.forEach(pool -> all.add(pool.value()));
    return all;
  }

  private void requireFew(String field, Kind kind, int count) {
    if (count > Configuration.MAX_ITEMS) {
      problems.add(new Denial.TooMany(field, kind, Configuration.MAX_ITEMS));
    }
  }

  private static Set<String> poolIds(Configuration configuration) {
    return configuration.pools().stream()
        .map(pool -> pool.id().value())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> profileIds(Configuration configuration) {
    return configuration.profiles().stream()
        .map(profile -> profile.id().value())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// By id, or by position if there is no id.
  private static String path(String list, String id, int index) {
    return list + "[" + (NameRule.isValid(id) ? id : Integer.toString(index)) + "]";
  }
}
