package io.headgate.scheduler.runtime.catalog;

import io.headgate.scheduler.runtime.record.JobRecord.DraftCause;
import io.headgate.type.CommandPattern;
import io.headgate.type.ImagePattern;
import io.headgate.type.ImageReference;
import io.headgate.type.PatternText;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// The combined rules of all vaults of a group: a job must meet each of them. Immutable.
///
/// @param vaults by id
/// @param environment set for the group's jobs. The policy-service refuses vaults of one group that
///   set a variable to different values, so each variable has one value
public record VaultRules(List<Vault> vaults, Map<String, String> environment) {
  public static final VaultRules NONE = of(List.of());

  public VaultRules {
    vaults = List.copyOf(vaults);
    environment = Collections.unmodifiableMap(new TreeMap<>(environment));
  }

  public static VaultRules of(List<Vault> vaults) {
    Map<String, String> environment = new TreeMap<>();
    vaults.forEach(vault -> environment.putAll(vault.environment()));
    return new VaultRules(vaults, environment);
  }

  /// The rules of each group that has vaults.
  public static Map<String, VaultRules> byGroup(List<Vault> vaults, Collection<String> groups) {
    // Groups are many, and most have the same vaults.
    Map<List<String>, VaultRules> made = new HashMap<>();
    Map<String, VaultRules> byGroup = new HashMap<>();
    for (String group : groups) {
      List<Vault> holding = vaults.stream().filter(vault -> vault.holdsFor(group)).toList();
      if (!holding.isEmpty()) {
        byGroup.put(
            group,
            made.computeIfAbsent(holding.stream().map(Vault::id).toList(), _ -> of(holding)));
      }
    }
    return byGroup;
  }

  /// A vault.
  ///
  /// @param groups empty: all
  /// @param images absent: all
  /// @param commands absent: all
  /// @param unreadable variables whose values cannot be decrypted; with any, no job may run
  public record Vault(
      String id,
      Set<String> groups,
      Optional<List<ImagePattern>> images,
      boolean imageRequired,
      boolean digestRequired,
      Optional<List<CommandPattern>> commands,
      Map<String, String> environment,
      List<String> unreadable) {
    public Vault {
      unreadable = List.copyOf(unreadable);
      groups = Set.copyOf(groups);
      images = images.map(List::copyOf);
      commands = commands.map(List::copyOf);
      environment = Map.copyOf(environment);
    }

    boolean holdsFor(String group) {
      return groups.isEmpty() || groups.contains(group);
    }
  }

  /// The parts of a job that vaults restrict.
  ///
  /// @param abortCommand empty: none
  /// @param variables names in its environment
  public record Asked(
      Optional<String> image,
      List<String> command,
      List<String> abortCommand,
      Set<String> variables) {
    public Asked {
      command = List.copyOf(command);
      abortCommand = List.copyOf(abortCommand);
      variables = Set.copyOf(variables);
    }
  }

  /// Why a job may not run.
  ///
  /// @param code stable, UPPER_SNAKE
  /// @param field of the job's specification
  /// @param message which vault, its rule, and the remedy
  public record Violation(String code, String vault, String field, String message) {
    /// Why a job is a draft that was taken before the vault forbade it.
    public DraftCause draft() {
      return new DraftCause(
          code, message + "; submit a changed job, or requeue this one once it may run");
    }
  }

  public boolean isEmpty() {
    return vaults.isEmpty();
  }

  /// The first rule that the job breaks.
  public Optional<Violation> violation(Asked asked) {
    for (Vault vault : vaults) {
      Optional<Violation> violation =
          ofUnreadable(vault)
              .or(() -> ofImage(vault, asked.image()))
              .or(() -> ofCommand(vault, "command", asked.command()))
              .or(() -> ofCommand(vault, "abort_callback.command", asked.abortCommand()))
              .or(() -> ofEnvironment(vault, asked.variables()));
      if (violation.isPresent()) {
        return violation;
      }
    }
    return Optional.empty();
  }

  private static Optional<Violation> ofUnreadable(Vault vault) {
    return vault.unreadable().isEmpty()
        ? Optional.empty()
        : violation(
            vault,
            "VAULT_UNREADABLE",
            "environment",
            "vault '%s' cannot set %s, whose stored values cannot be decrypted; ask an admin to set them again"
                .formatted(vault.id(), shortened(String.join(", ", vault.unreadable()))));
  }

  private static Optional<Violation> ofImage(Vault vault, Optional<String> name) {
    if (name.isEmpty()) {
      return vault.imageRequired()
          ? violation(
              vault,
              "IMAGE_REQUIRED",
              "container",
              "vault '%s' lets only jobs with an image run%s; name one"
                  .formatted(vault.id(), vault.images().map(VaultRules::allowed).orElse("")))
          : Optional.empty();
    }
    if (vault.images().isEmpty() && !vault.digestRequired()) {
      return Optional.empty();
    }
    ImageReference image = ImageReference.parse(name.get());
    if (vault.digestRequired() && image.digest().isEmpty()) {
      return ofImage(
          vault,
          "vault '%s' takes images by digest only, and not %s; name it %s/%s@sha256:…"
              .formatted(vault.id(), image, image.registry(), image.repository()));
    }
    return vault
        .images()
        .filter(patterns -> patterns.stream().noneMatch(each -> each.matches(image)))
        .flatMap(patterns ->
            ofImage(
                vault,
                "vault '%s' does not let image %s run%s; use another, or ask an admin"
                    .formatted(vault.id(), image, allowed(patterns))));
  }

  private static Optional<Violation> ofImage(Vault vault, String message) {
    return violation(vault, "IMAGE_NOT_ALLOWED", "container.image", message);
  }

  private static Optional<Violation> ofCommand(Vault vault, String field, List<String> command) {
    return vault
        .commands()
        .filter(_ -> !command.isEmpty())
        .filter(patterns -> patterns.stream().noneMatch(each -> each.matches(command)))
        .flatMap(patterns ->
            violation(
                vault,
                "COMMAND_NOT_ALLOWED",
                field,
                "vault '%s' does not let command '%s' run%s; use another, or ask an admin"
                    .formatted(vault.id(), shortened(command.getFirst()), allowed(patterns))));
  }

  private static Optional<Violation> ofEnvironment(Vault vault, Set<String> variables) {
    return vault.environment().keySet().stream()
        .filter(variables::contains)
        .min(String::compareTo)
        .flatMap(name ->
            violation(
                vault,
                "ENVIRONMENT_SET_BY_VAULT",
                "environment[" + name + "]",
                "vault '%s' sets %s for all jobs of the group; leave it out, or ask an admin"
                    .formatted(vault.id(), name)));
  }

  private static Optional<Violation> violation(
      Vault vault, String code, String field, String message) {
    return Optional.of(new Violation(code, vault.id(), field, message));
  }

  /// `, only nvcr.io/nvidia/**, docker.io/*`.
  private static String allowed(List<?> patterns) {
    return ", only " + PatternText.of(patterns);
  }

  /// Bounds the message: a word of a command may be a whole script.
  private static String shortened(String word) {
    return word.length() <= 100 ? word : word.substring(0, 100) + "…";
  }
}
