package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.identity.Caller;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.Origin;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// The resources of one kind in a tenant, by id. Each method is one transaction and refuses with
/// {@link DeniedException}. Thread-safe.
///
/// @param <I> id of a resource
/// @param <T> resource
/// @param <S> resource as a request describes it
public interface TenantResources<I, T, S> {
  /// The resource; one that the caller does not see is absent.
  T get(Caller caller, TenantId tenant, I id);

  /// The resources that the caller sees, after the id `after`, by id.
  List<T> list(Caller caller, TenantId tenant, Optional<I> after, int limit);

  /// Creates a resource.
  ///
  /// @return the answer of `once`
  <R> R create(Origin origin, IdempotentRequest<T, R> once, TenantId tenant, S spec);

  /// Changes a resource.
  ///
  /// @param edit makes the new description from the present resource
  T update(Origin origin, TenantId tenant, I id, Function<T, S> edit);

  void delete(Origin origin, TenantId tenant, I id);
}
