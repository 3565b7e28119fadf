package io.headgate.policy.core.access;

import io.headgate.kit.decision.Problems;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.name.Kind;
import java.util.List;
import java.util.Optional;

/// One part of an access configuration: its groups, policies, queues or vaults. It states how the
/// items of one part differ from those of another; {@link AccessEdit} holds what they share.
///
/// @param <I> id of an item
/// @param <T> item
/// @param <S> item as a request describes it
public interface AccessPart<I extends Comparable<I>, T, S> {
  Kind kind();

  /// Items that a tenant may have.
  int max();

  I id(T item);

  /// The id in a spec that was accepted.
  I specId(S spec);

  /// All items, by id.
  List<T> all(AccessConfiguration configuration);

  /// The configuration with `item` in place of the item that has its id, if any.
  AccessConfiguration with(AccessConfiguration configuration, T item);

  AccessConfiguration without(AccessConfiguration configuration, I id);

  /// Checks an item alone; an empty result has added a problem.
  Optional<T> read(Problems<Denial> problems, S spec);

  /// Names of the users to which the item gives the exceed-limit grant.
  default List<String> exceeding(S spec) {
    return List.of();
  }

  /// Checks the item against the other items and the supply.
  ///
  /// @param next the configuration with the item
  /// @param before the item as it was; absent: it is new
  /// @return whether a check was left out because it needs the supply
  default boolean relate(
      AccessState state,
      AccessConfiguration next,
      T item,
      Optional<T> before,
      Problems<Denial> problems) {
    return false;
  }

  /// Why the item cannot be removed, if other items still need it.
  default Optional<Denial> stillNeeded(AccessConfiguration configuration, I id) {
    return Optional.empty();
  }

  default Optional<T> find(AccessConfiguration configuration, I id) {
    return all(configuration).stream().filter(item -> id(item).equals(id)).findFirst();
  }
}
