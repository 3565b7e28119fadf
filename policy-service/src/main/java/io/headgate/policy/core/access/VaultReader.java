package io.headgate.policy.core.access;

import io.headgate.kit.decision.Problems;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessSpec.RulesSpec;
import io.headgate.policy.core.access.AccessSpec.VaultSpec;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.VaultId;
import io.headgate.type.CommandPattern;
import io.headgate.type.ImagePattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/// Reads single vaults, and checks everything that does not depend on others. Each empty result has
/// added a problem.
final class VaultReader {
  private final Problems<Denial> problems;
  private final SpecReader ids;

  VaultReader(Problems<Denial> problems) {
    this.problems = problems;
    this.ids = new SpecReader(problems);
  }

  /// @param path of the vault in the request
  Optional<Vault> vault(String path, VaultSpec spec) {
    Optional<VaultId> id = ids.id(path + ".name", Kind.VAULT, spec.id(), VaultId::new);
    Optional<List<GroupId>> groups =
        ids.ids(path + ".groups", Kind.GROUP, spec.groups(), GroupId::new);
    Optional<JobRules> rules = rules(path, spec.rules());
    boolean good = isSettable(path + ".environment", spec.environment().keySet());
    return id.isPresent() && groups.isPresent() && rules.isPresent() && good
        ? Optional.of(
            new Vault(
                id.get(),
                groups.get(),
                rules.get(),
                new TreeMap<>(spec.environment()),
                List.of(),
                spec.description()))
        : Optional.empty();
  }

  private Optional<JobRules> rules(String path, RulesSpec spec) {
    List<ImagePattern> images = patterns(path + ".images", spec.images(), ImagePattern::parse);
    List<CommandPattern> commands =
        patterns(path + ".commands", spec.commands(), CommandPattern::parse);
    return images.size() == spec.images().size() && commands.size() == spec.commands().size()
        ? Optional.of(new JobRules(images, spec.imageRequired(), spec.digestRequired(), commands))
        : Optional.empty();
  }

  private <T> List<T> patterns(String field, List<String> texts, Function<String, T> parse) {
    List<T> patterns = new ArrayList<>(texts.size());
    for (int i = 0; i < texts.size(); i++) {
      try {
        patterns.add(parse.apply(texts.get(i)));
      } catch (IllegalArgumentException e) {
        problems.add(
            new Denial.MalformedPattern(field + "[" + i + "]", String.valueOf(e.getMessage())));
      }
    }
    return patterns;
  }

  /// Refuses variables that the agent sets, and those that would affect programs of the agent.
  private boolean isSettable(String field, Iterable<String> names) {
    boolean good = true;
    for (String name : names) {
      if (name.startsWith("HEADGATE_") || name.startsWith("LD_")) {
        problems.add(new Denial.ReservedVariable(field + "[" + name + "]", name));
        good = false;
      }
    }
    return good;
  }
}
