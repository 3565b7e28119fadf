package io.headgate.sdk.config;

import static java.util.stream.Collectors.toSet;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/// The changes that turn one configuration into another.
///
/// @param changes ordered by section; within one, in the order of the new configuration, then
///   removals
/// @param unchanged number of objects that stay as they are
public record ConfigurationDiff(List<Change> changes, int unchanged) {
  public ConfigurationDiff {
    changes = List.copyOf(changes);
  }

  public static ConfigurationDiff between(Configuration from, Configuration to) {
    Collector collector = new Collector();
    Configuration stated = to.admins() == null ? from.withAdmins(null) : from;
    if (from.visibility() != to.visibility()
        || !Objects.equals(from.budget(), to.budget())
        || !admins(stated).equals(admins(to))) {
      String tenant = to.tenant() == null ? "" : to.tenant();
      collector.compare(ObjectKind.TENANT, List.of(stated), List.of(to), _ -> tenant);
    }
    collector.compare(ObjectKind.GROUP, from.groups(), to.groups(), Group::name);
    collector.compare(ObjectKind.POOL, from.pools(), to.pools(), Pool::name);
    collector.compare(ObjectKind.PROFILE, from.profiles(), to.profiles(), Profile::name);
    collector.compare(
        ObjectKind.DEPARTMENT, from.departments(), to.departments(), Department::name);
    collector.comparePolicies(from.policies(), to.policies());
    collector.compare(
        ObjectKind.VAULT, from.vaults(), asSeen(to.vaults(), from.vaults()), Vault::name);
    collector.compare(ObjectKind.PART, from.parts(), to.parts(), TenantPart::title);
    return new ConfigurationDiff(collector.changes, collector.unchanged);
  }

  /// Their order has no meaning.
  private static Set<String> admins(Configuration configuration) {
    return configuration.admins() == null ? Set.of() : Set.copyOf(configuration.admins());
  }

  /// Hidden values are not compared.
  private static List<Vault> asSeen(List<Vault> vaults, List<Vault> inForce) {
    Set<String> hidden =
        inForce.stream().filter(Vault::environmentHidden).map(Vault::name).collect(toSet());
    return vaults.stream()
        .map(vault -> hidden.contains(vault.name()) ? vault.hidden() : vault)
        .toList();
  }

  public boolean isEmpty() {
    return changes.isEmpty();
  }

  /// Whether pools or profiles change.
  public boolean changesResources() {
    return changes.stream().anyMatch(change -> change.kind().isResource());
  }

  /// Whether groups, departments, policies, queues, vaults or parts of tenants change.
  public boolean changesAccess() {
    return changes.stream().anyMatch(change -> !change.kind().isResource());
  }

  /// The number of added, changed or removed objects, queues included.
  public long count(Change.Action action) {
    return changes.stream()
        .flatMap(change ->
            java.util.stream.Stream.concat(
                java.util.stream.Stream.of(change), change.parts().stream()))
        .filter(change -> change.action() == action)
        .count();
  }

  /// The sections of a configuration, the queues inside policies, and the tenant itself. PART: what
  /// a tenant has of shared pools.
  public enum ObjectKind implements Keyword {
    TENANT,
    GROUP,
    POOL,
    PROFILE,
    DEPARTMENT,
    POLICY,
    QUEUE,
    VAULT,
    PART;

    boolean isResource() {
      return this == POOL || this == PROFILE;
    }
  }

  /// One object that differs.
  ///
  /// @param fields changed fields; for an added object, all fields that are set
  /// @param parts queues of a policy
  public record Change(
      ObjectKind kind,
      String name,
      Action action,
      Map<String, FieldChange> fields,
      List<Change> parts) {
    public Change {
      fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
      parts = List.copyOf(parts);
    }

    /// The kind of change to an object. KEPT: only its parts change.
    public enum Action {
      ADDED,
      CHANGED,
      REMOVED,
      KEPT
    }
  }

  /// One field before and after, as text; empty where it is not set.
  public record FieldChange(FieldText from, FieldText to) {
    public boolean isChange() {
      return !from.equals(to);
    }
  }

  private static final class Collector {
    private final List<Change> changes = new ArrayList<>();
    private int unchanged;

    <T> void compare(ObjectKind kind, List<T> from, List<T> to, Function<T, String> name) {
      changes.addAll(differences(kind, from, to, name));
    }

    private <T> List<Change> differences(
        ObjectKind kind, List<T> from, List<T> to, Function<T, String> name) {
      List<Change> found = new ArrayList<>();
      Map<String, T> before = byName(from, name);
      for (T object : to) {
        T old = before.remove(name.apply(object));
        Map<String, FieldChange> fields = fields(old, object);
        if (old == null) {
          found.add(change(kind, name.apply(object), Change.Action.ADDED, fields));
        } else if (fields.values().stream().anyMatch(FieldChange::isChange)) {
          found.add(change(kind, name.apply(object), Change.Action.CHANGED, fields));
        } else {
          unchanged++;
        }
      }
      for (T gone : before.values()) {
        found.add(change(kind, name.apply(gone), Change.Action.REMOVED, fields(gone, null)));
      }
      return found;
    }

    void comparePolicies(List<Policy> from, List<Policy> to) {
      Map<String, Policy> before = byName(from, Policy::name);
      for (Policy policy : to) {
        Policy old = before.remove(policy.name());
        Map<String, FieldChange> fields = fields(old, policy);
        List<Change> queues =
            differences(
                ObjectKind.QUEUE,
                old == null ? List.of() : old.queues(),
                policy.queues(),
                Policy.Queue::name);
        boolean changed = fields.values().stream().anyMatch(FieldChange::isChange);
        if (old == null) {
          add(policy.name(), Change.Action.ADDED, fields, queues);
        } else if (changed) {
          add(policy.name(), Change.Action.CHANGED, fields, queues);
        } else {
          unchanged++;
          if (!queues.isEmpty()) {
            add(policy.name(), Change.Action.KEPT, Map.of(), queues);
          }
        }
      }
      for (Policy gone : before.values()) {
        List<Change> queues =
            differences(ObjectKind.QUEUE, gone.queues(), List.of(), Policy.Queue::name);
        add(gone.name(), Change.Action.REMOVED, fields(gone, null), queues);
      }
    }

    private void add(
        String name, Change.Action action, Map<String, FieldChange> fields, List<Change> parts) {
      changes.add(new Change(ObjectKind.POLICY, name, action, fields, parts));
    }

    private static Change change(
        ObjectKind kind, String name, Change.Action action, Map<String, FieldChange> fields) {
      return new Change(kind, name, action, fields, List.of());
    }

    private static <T> Map<String, T> byName(List<T> objects, Function<T, String> name) {
      Map<String, T> map = new LinkedHashMap<>();
      objects.forEach(object -> map.put(name.apply(object), object));
      return map;
    }

    private static Map<String, FieldChange> fields(
        @org.jspecify.annotations.Nullable Object from,
        @org.jspecify.annotations.Nullable Object to) {
      Map<String, FieldText> before = from == null ? Map.of() : FieldTexts.of(from);
      Map<String, FieldText> after = to == null ? Map.of() : FieldTexts.of(to);
      Map<String, FieldChange> fields = new LinkedHashMap<>();
      after.forEach((field, text) ->
          fields.put(field, new FieldChange(before.getOrDefault(field, FieldText.NONE), text)));
      before.forEach(
          (field, text) -> fields.putIfAbsent(field, new FieldChange(text, FieldText.NONE)));
      return fields;
    }
  }
}
