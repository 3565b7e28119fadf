package io.headgate.policy.core.access;

import io.headgate.kit.decision.Problems;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.name.Kind;
import java.util.Optional;

/// Decides on edits of one group, policy, queue or vault. Only what the edit touches is checked, so
/// that a profile that vanished from the supply does not block an unrelated edit.
public final class AccessEdit {
  /// Whether the edit creates an item or changes an existing one.
  public enum Mode {
    CREATE,
    UPDATE
  }

  private AccessEdit() {}

  /// Decides on creating or changing the item that `spec` describes.
  public static <I extends Comparable<I>, T, S> AccessDecision put(
      AccessPart<I, T, S> part, AccessState state, Mode mode, S spec) {
    if (state.sharers().isPresent()) {
      return AccessDecision.denied(new Denial.PlatformHasPartsOnly());
    }
    Problems<Denial> problems = new Problems<>();
    Optional<T> read = part.read(problems, spec);
    if (read.isEmpty()) {
      return new AccessDecision.Denied(problems.denials());
    }
    T item = read.get();
    Optional<T> before = part.find(state.current(), part.id(item));
    Optional<Denial> misplaced =
        existence(mode, part.kind(), part.id(item).toString(), before.isPresent());
    if (misplaced.isPresent()) {
      return AccessDecision.denied(misplaced.get());
    }
    AccessConfiguration next = part.with(state.current(), item);
    if (part.all(next).size() > part.max()) {
      problems.add(new Denial.TooMany(idField(part.kind()), part.kind(), part.max()));
    }
    boolean supplyNeeded = part.relate(state, next, item, before, problems);
    if (!problems.isEmpty()) {
      return new AccessDecision.Denied(problems.denials());
    }
    return supplyNeeded ? new AccessDecision.SupplyNeeded() : AccessDecision.accepted(next);
  }

  /// Decides on removing the item with this id.
  public static <I extends Comparable<I>, T, S> AccessDecision remove(
      AccessPart<I, T, S> part, AccessConfiguration current, I id) {
    if (part.find(current, id).isEmpty()) {
      return AccessDecision.denied(new Denial.NotFound(part.kind(), id.toString()));
    }
    return part.stillNeeded(current, id)
        .map(AccessDecision::denied)
        .orElseGet(() -> AccessDecision.accepted(part.without(current, id)));
  }

  /// An existing item cannot be created, and an absent one cannot be changed. The item's other
  /// problems do not matter then.
  private static Optional<Denial> existence(Mode mode, Kind kind, String id, boolean exists) {
    return switch (mode) {
      case CREATE ->
          exists ? Optional.of(new Denial.NameTaken(idField(kind), kind, id)) : Optional.empty();
      case UPDATE -> exists ? Optional.empty() : Optional.of(new Denial.NotFound(kind, id));
    };
  }

  /// The field of a creating request that holds the new id.
  private static String idField(Kind kind) {
    return kind.word() + "_id";
  }
}
