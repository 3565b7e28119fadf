package io.headgate.policy.core;

import io.headgate.policy.core.name.Kind;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// An expected refusal with its numbers. `field` is the path of the wrong field in the request,
/// such as `policies[rnd].reservation`; it is empty where no field is wrong.
public sealed interface Denial {
  /// An invalid number.
  sealed interface OfNumber extends Denial {}

  /// Rights that contradict each other or the supply.
  sealed interface OfRights extends Denial {}

  /// Invalid rules or environment of a vault.
  sealed interface OfVault extends Denial {}

  /// A change of supply and rights that cannot be committed.
  sealed interface OfChange extends Denial {}

  /// A request that the reserved owner of shared pools does not allow.
  sealed interface OfPlatform extends Denial {}

  /// A resource that others still need.
  sealed interface OfUse extends Denial {}

  /// The text cannot be an id of this kind.
  record InvalidName(String field, Kind kind, String value) implements Denial {}

  /// The admins that the caller states do not include it, so that it could not correct a mistake.
  record AdminsWithoutCaller(String field, String user) implements Denial {}

  /// The text names no principal that can have a key.
  record InvalidOwner(String field, String value) implements Denial {}

  /// Another resource of this kind has the name.
  record NameTaken(String field, Kind kind, String id) implements Denial {}

  /// A removed resource of this kind had the name, and records under that name remain.
  record NameRetired(String field, Kind kind, String id) implements Denial {}

  /// A machine's key or proof is missing or wrong.
  record MachineKeyInvalid(String field, String explanation) implements Denial {}

  /// Another machine has a live key for the node.
  record NodeTaken(String field, String node, String key) implements Denial {}

  /// One request names a resource twice.
  record Duplicate(String field, Kind kind, String id) implements Denial {}

  /// The requested resource does not exist, or the caller may not see it.
  record NotFound(Kind kind, String id) implements Denial {}

  /// The request refers to a resource that does not exist.
  ///
  /// @param nearest a similar existing id
  record Unknown(String field, Kind kind, String id, Optional<String> nearest) implements Denial {}

  /// The text is not a GPU quantity.
  record MalformedQuantity(String field, String text) implements OfNumber {}

  /// The number lies between two neighbouring quantities.
  record InexactQuantity(String field, String text, GpuQuantity below, GpuQuantity above)
      implements OfNumber {}

  /// The text is not the amount of a budget.
  record MalformedAmount(String field, String text) implements OfNumber {}

  /// No currency has the code.
  record UnknownCurrency(String field, String code) implements OfNumber {}

  /// A number or duration outside of its range; all three in notation for people.
  record OutOfRange(String field, String value, String low, String high) implements OfNumber {}

  /// AuditFields that contradict each other.
  record Contradiction(String field, String explanation) implements Denial {}

  /// A group would be led by a user who is not in it.
  record LeadNotInGroup(String field, String user, String group) implements Denial {}

  /// A policy or department would reserve more than its limit.
  record ReservationAboveLimit(
      String field, Kind kind, String id, GpuQuantity reservation, GpuQuantity limit)
      implements OfRights {}

  /// A department would be above itself.
  ///
  /// @param path from the department up to itself
  record DepartmentCycle(String field, List<String> path) implements OfRights {}

  /// Departments would nest too deep.
  ///
  /// @param path from the highest one down
  record DepartmentTooDeep(String field, List<String> path, int max) implements OfRights {}

  /// One job of the queue would need more than the policy's limit.
  record ProfileAboveLimit(
      String field,
      String queue,
      String profile,
      GpuQuantity need,
      String policy,
      GpuQuantity limit)
      implements OfRights {}

  /// Another queue connects the profile to the policy already.
  record AlreadyConnected(String field, String profile, String policy, String queue)
      implements OfRights {}

  /// Policies still give rights to the group.
  record GroupInUse(String group, List<String> policies) implements OfUse {}

  /// Vaults still name the group.
  record GroupInVault(String group, List<String> vaults) implements OfUse {}

  /// The tenant still has policies.
  record TenantInUse(String tenant, int policies) implements OfUse {}

  /// The tenant still has a part of shared pools.
  record TenantHasPart(String tenant) implements OfPlatform {}

  /// The tenant that owns the shared pools is neither made nor removed.
  record TenantReserved(String field, String tenant) implements OfPlatform {}

  /// Only the owner of shared pools has parts of tenants.
  record PartsOfPlatformOnly(String field) implements OfPlatform {}

  /// The owner of shared pools has no accounts and no rights of its own.
  record PlatformHasPartsOnly() implements OfPlatform {}

  /// The text is no pattern of images or commands.
  record MalformedPattern(String field, String explanation) implements OfVault {}

  /// The variable is reserved; no vault may set it.
  record ReservedVariable(String field, String variable) implements OfVault {}

  /// Another vault for one of its groups sets the variable to another value.
  record VariableConflict(String field, String variable, String vault) implements OfVault {}

  /// The vaults of one group would set too much environment together.
  record EnvironmentTooLarge(String field, int bytes, int max) implements OfVault {}

  /// A tenant would exceed the bound for a kind.
  record TooMany(String field, Kind kind, int max) implements OfRights {}

  /// The owner has reached the bound of keys.
  record TooManyKeys(String field, String owner, int max) implements OfUse {}

  /// The request id came before, with another request.
  record RequestIdReused(String field) implements Denial {}

  /// A concurrent change came first.
  record VersionChanged(long expected, long actual) implements Denial {}

  /// The supply's half of the change is not prepared.
  record ChangeNotPrepared(String change) implements OfChange {}

  /// Another caller prepared the change.
  ///
  /// @param by subject of that caller
  record ChangeOfAnother(String change, String by) implements OfChange {}

  /// A decided change is not carried out by pool-service yet, so the supply to check against is not
  /// known.
  record ChangeUnsettled() implements OfChange {}

  /// The change came too late, and was abandoned before.
  record ChangeAbandoned(String change) implements OfChange {}

  /// The caller may not create or revoke keys of this owner.
  record KeyNotAllowed(String field, String owner, String explanation) implements Denial {}

  /// It is the last operator key; without it the installation has no operator.
  record LastOperatorKey(String key) implements OfUse {}

  /// The key is unknown, revoked or expired, its owner is gone, or the caller is not the machine to
  /// which it is bound. The refusal does not say which.
  record KeyRejected() implements Denial {}

  /// The proof of a machine was used before, or a newer one was.
  ///
  /// @param last counter of the last proof that was accepted
  record ProofOutdated(long last) implements Denial {}

  /// The counter of a machine's proof is too far above the service's clock and the last counter.
  ///
  /// @param last counter of the last proof that was accepted
  record ProofAhead(long last) implements Denial {}

  /// The caller's key, account or role was withdrawn after its token was made.
  record CallerRevoked() implements Denial {}

  /// The join token is unknown, expired or used up. The refusal does not say which.
  record JoinTokenRejected() implements Denial {}

  /// Too many secrets from networks with many wrong ones wait to be looked up.
  record TooManyAttempts(Duration retryAfter) implements Denial {}
}
