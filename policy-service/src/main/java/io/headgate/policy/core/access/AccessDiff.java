package io.headgate.policy.core.access;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// The changes from one configuration to another.
///
/// @param visibility absent: unchanged
/// @param budget of the tenant; absent: unchanged
public record AccessDiff(
    Part<Group> groups,
    Part<Department> departments,
    Part<Policy> policies,
    Part<Queue> queues,
    Part<Vault> vaults,
    Optional<Change<Visibility>> visibility,
    Part<TenantPart> tenants,
    Optional<Change<Optional<Budget>>> budget) {

  /// The changes of one kind.
  public record Part<T>(List<T> added, List<Change<T>> changed, List<T> removed) {
    public Part {
      added = List.copyOf(added);
      changed = List.copyOf(changed);
      removed = List.copyOf(removed);
    }

    /// Added items, and changed items in their new form.
    public List<T> written() {
      List<T> written = new ArrayList<>(added);
      changed.forEach(change -> written.add(change.after()));
      return written;
    }

    boolean isEmpty() {
      return added.isEmpty() && changed.isEmpty() && removed.isEmpty();
    }
  }

  /// One item before and after.
  public record Change<T>(T before, T after) {}

  public static AccessDiff between(AccessConfiguration before, AccessConfiguration after) {
    return new AccessDiff(
        part(before.groups(), after.groups(), Group::id),
        part(before.departments(), after.departments(), Department::id),
        part(before.policies(), after.policies(), Policy::id),
        part(before.queues(), after.queues(), Queue::id),
        part(before.vaults(), after.vaults(), Vault::id),
        before.visibility() == after.visibility()
            ? Optional.empty()
            : Optional.of(new Change<>(before.visibility(), after.visibility())),
        part(before.tenants(), after.tenants(), TenantPart::key),
        before.budget().equals(after.budget())
            ? Optional.empty()
            : Optional.of(new Change<>(before.budget(), after.budget())));
  }

  public boolean isEmpty() {
    return groups.isEmpty()
        && departments.isEmpty()
        && policies.isEmpty()
        && queues.isEmpty()
        && vaults.isEmpty()
        && visibility.isEmpty()
        && tenants.isEmpty()
        && budget.isEmpty();
  }

  private static <K, T> Part<T> part(List<T> before, List<T> after, Function<T, K> id) {
    Map<K, T> old = new HashMap<>();
    before.forEach(item -> old.put(id.apply(item), item));
    List<T> added = new ArrayList<>();
    List<Change<T>> changed = new ArrayList<>();
    Set<K> kept = new HashSet<>();
    for (T item : after) {
      K key = id.apply(item);
      kept.add(key);
      Optional<T> was = Optional.ofNullable(old.get(key));
      if (was.isEmpty()) {
        added.add(item);
      } else if (!was.get().equals(item)) {
        changed.add(new Change<>(was.get(), item));
      }
    }
    List<T> removed = before.stream().filter(item -> !kept.contains(id.apply(item))).toList();
    return new Part<>(added, changed, removed);
  }
}
