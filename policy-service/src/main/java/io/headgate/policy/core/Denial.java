package io.headgate.policy.core;

import io.headgate.policy.core.name.Kind;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Why something is refused: an expected answer with its numbers. `field` is the path in the
/// request of what is wrong, such as `policies[rnd].reservation`; it is empty where no field is.
public sealed interface Denial {
  /// A number that cannot be.
  sealed interface OfNumber extends Denial {}

  /// Rights that contradict each other or the supply.
  sealed interface OfRights extends Denial {}

  /// Rules or environment of a vault that cannot be.
  sealed interface OfVault extends Denial {}

  /// Something that others still need.
  sealed interface OfUse extends Denial {}

  /// The text cannot be an id of this kind.
  record InvalidName(String field, Kind kind, String value) implements Denial {}

  /// The text names nobody who can have a key.
  record InvalidOwner(String field, String value) implements Denial {}

  /// Something of this kind already has the name.
  record NameTaken(String field, Kind kind, String id) implements Denial {}

  /// Something of this kind had the name, and is gone; what was its own is still under it.
  record NameRetired(String field, Kind kind, String id) implements Denial {}

  /// A live key of another machine speaks for the node.
  record NodeTaken(String field, String node, String key) implements Denial {}

  /// One request names the same thing twice.
  record Duplicate(String field, Kind kind, String id) implements Denial {}

  /// What the request is about does not exist, or not for this caller.
  record NotFound(Kind kind, String id) implements Denial {}

  /// The request refers to something that does not exist.
  ///
  /// @param nearest an existing id that may have been meant
  record Unknown(String field, Kind kind, String id, Optional<String> nearest) implements Denial {}

  /// The text is not a GPU quantity.
  record MalformedQuantity(String field, String text) implements OfNumber {}

  /// The number lies between two neighbouring quantities.
  record InexactQuantity(String field, String text, GpuQuantity below, GpuQuantity above)
      implements OfNumber {}

  /// A number or a length of time outside of its range; all three as people write them.
  record OutOfRange(String field, String value, String low, String high) implements OfNumber {}

  /// Fields that say different things.
  record Contradiction(String field, String explanation) implements Denial {}

  /// A policy would be promised more than it may use.
  record ReservationAboveLimit(
      String field, String policy, GpuQuantity reservation, GpuQuantity limit)
      implements OfRights {}

  /// One job of the queue would need more than the policy may use.
  record ProfileAboveLimit(
      String field,
      String queue,
      String profile,
      GpuQuantity need,
      String policy,
      GpuQuantity limit)
      implements OfRights {}

  /// The profile is connected to the policy already, by another queue.
  record AlreadyConnected(String field, String profile, String policy, String queue)
      implements OfRights {}

  /// Policies still give rights to the group.
  record GroupInUse(String group, List<String> policies) implements OfUse {}

  /// Vaults still hold for the group by its name.
  record GroupInVault(String group, List<String> vaults) implements OfUse {}

  /// The tenant still has policies.
  record TenantInUse(String tenant, int policies) implements OfUse {}

  /// The text is no pattern of images or commands.
  record MalformedPattern(String field, String explanation) implements OfVault {}

  /// No vault may set a variable of this name.
  record ReservedVariable(String field, String variable) implements OfVault {}

  /// Another vault that holds for one of its groups sets the variable otherwise.
  record VariableConflict(String field, String variable, String vault) implements OfVault {}

  /// The vaults that hold for one group would set too much together.
  record EnvironmentTooLarge(String field, int bytes, int max) implements OfVault {}

  /// A tenant would have more of a kind than is allowed.
  record TooMany(String field, Kind kind, int max) implements OfRights {}

  /// The owner has as many keys as anybody may have.
  record TooManyKeys(String field, String owner, int max) implements OfUse {}

  /// The id came before, with another request.
  record RequestIdReused(String field) implements Denial {}

  /// Somebody else changed it first.
  record VersionChanged(long expected, long actual) implements Denial {}

  /// The caller may not make, or take away, keys of this owner.
  record KeyNotAllowed(String field, String owner, String explanation) implements Denial {}

  /// Without this key nobody could run the installation.
  record LastOperatorKey(String key) implements OfUse {}

  /// The key is unknown, revoked, expired, or its owner is gone. Which of these is not said.
  record KeyRejected() implements Denial {}

  /// The join token is unknown, expired or used up. Which of these is not said.
  record JoinTokenRejected() implements Denial {}

  /// Too many wrong secrets from one address.
  record TooManyAttempts(Duration retryAfter) implements Denial {}
}
