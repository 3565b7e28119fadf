package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.Origin;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Things of one kind that a tenant has, by id. Each method is one transaction and refuses with
/// {@link DeniedException}. Thread-safe.
///
/// @param <I> the id of one
/// @param <T> one
/// @param <S> one as somebody asks for it
public interface TenantResources<I, T, S> {
  T get(TenantId tenant, I id);

  /// Those after `after`, by id.
  List<T> list(TenantId tenant, Optional<I> after, int limit);

  /// Makes one.
  ///
  /// @return the answer that `once` makes of it
  <R> R create(Origin origin, Once<T, R> once, TenantId tenant, S spec);

  /// Changes the one that is there into what `edit` makes of it.
  T update(Origin origin, TenantId tenant, I id, Function<T, S> edit);

  void delete(Origin origin, TenantId tenant, I id);
}
