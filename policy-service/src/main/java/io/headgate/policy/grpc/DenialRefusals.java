package io.headgate.policy.grpc;

import io.grpc.Status;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.auth.Revocations;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.Refusal.FieldViolation;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.name.Kind;
import io.headgate.type.NameRule;
import java.util.ArrayList;
import java.util.List;

/// Puts denials into words, codes and numbers.
final class DenialRefusals {
  private DenialRefusals() {}

  /// One refusal for all denials. Several denials become one invalid request, with a violation for
  /// each.
  static Refusal of(List<Denial> denials) {
    Refusal first = of(denials.getFirst());
    if (denials.size() == 1) {
      return first;
    }
    List<FieldViolation> violations = new ArrayList<>();
    for (Denial denial : denials) {
      violations.addAll(of(denial).violations());
    }
    String message = first.message() + " (and " + (denials.size() - 1) + " more)";
    return new Refusal(
        Status.Code.INVALID_ARGUMENT, first.reason(), message, violations, first.metadata(), null);
  }

  static Refusal of(Denial denial) {
    return switch (denial) {
      case Denial.InvalidName(var field, var kind, var value) ->
          Refusal.invalidField(
              "INVALID_NAME",
              field,
              quoted(value)
                  + " cannot be the id of a "
                  + kind.word()
                  + ": write "
                  + NameRule.WORDS);
      case Denial.AdminsWithoutCaller(var field, var user) ->
          Refusal.invalidField(
              "ADMINS_WITHOUT_CALLER",
              field,
              "%s makes this change and would be no admin any more: add %s, or let an operator make it"
                  .formatted(user, user));
      case Denial.InvalidOwner(var field, var value) ->
          Refusal.invalidField(
              "INVALID_NAME",
              field,
              quoted(value)
                  + " names no principal that can have a key: write tenants/TENANT/users/USER,"
                  + " tenants/TENANT/serviceAccounts/ACCOUNT, services/NAME or operators/NAME");
      case Denial.NameTaken(var field, var kind, var id) ->
          withField(
              Refusal.alreadyExists(
                  "NAME_TAKEN",
                  "there is a " + kind.word() + " " + quoted(id) + " already: choose another id"),
              field);
      case Denial.NameRetired(var field, var kind, var id) ->
          withField(
              Refusal.alreadyExists(
                  "NAME_TAKEN",
                  quoted(id)
                      + " was the id of a "
                      + kind.word()
                      + " that was removed, whose nodes and jobs are still on record: choose"
                      + " another"),
              field);
      case Denial.MachineKeyInvalid(var field, var explanation) ->
          Refusal.invalidField("MACHINE_KEY_INVALID", field, explanation);
      case Denial.NodeTaken(var field, var node, var key) ->
          withField(
                  Refusal.alreadyExists(
                      "NAME_TAKEN",
                      "another machine is node "
                          + quoted(node)
                          + ": choose another id, or revoke that machine's key keys/"
                          + key
                          + " first"),
                  field)
              .withMetadata("key", "keys/" + key);
      case Denial.Duplicate(var field, var kind, var id) ->
          Refusal.invalidField(
              "DUPLICATE_NAME",
              field,
              "the " + kind.word() + " " + quoted(id) + " is named twice: name it once");
      case Denial.NotFound(var kind, var id) -> notFound(kind, id);
      case Denial.Unknown unknown -> unknown(unknown);
      case Denial.OfNumber number -> NumberRefusals.of(number);
      case Denial.RequestIdReused(var field) ->
          Refusal.invalidField(
              "REQUEST_ID_REUSED",
              field,
              "it was the id of a request with other content: use a new one for each request");
      case Denial.Contradiction(var field, var explanation) ->
          Refusal.invalidField("CONTRADICTION", field, explanation);
      case Denial.LeadNotInGroup(var field, var user, var group) ->
          Refusal.invalidField(
              "LEAD_NOT_IN_GROUP",
              field,
              "%s leads group %s and is not among its users: add them, or name another lead"
                  .formatted(quoted(user), quoted(group)));
      case Denial.OfRights rights -> rights(rights);
      case Denial.OfPlatform of -> PlatformRefusals.of(of);
      case Denial.OfUse use -> inUse(use);
      case Denial.OfVault vault -> vault(vault);
      case Denial.VersionChanged(var expected, var actual) ->
          Refusal.conflict(
                  "VERSION_CHANGED",
                  "version "
                      + actual
                      + " is in force, and the change was made for "
                      + expected
                      + ": read it again and repeat your change")
              .withMetadata("expected", expected)
              .withMetadata("actual", actual);
      case Denial.ChangeNotPrepared(var change) ->
          Refusal.failedPrecondition(
              "CHANGE_NOT_PREPARED",
              "pool-service has no prepared change "
                  + quoted(change)
                  + ": prepare it there first (PrepareChange)");
      case Denial.ChangeOfAnother(var change, var by) ->
          Refusal.permissionDenied(
                  "CHANGE_OF_ANOTHER",
                  "change "
                      + quoted(change)
                      + " was prepared by "
                      + quoted(by)
                      + ", and no other caller may commit it: prepare one of your own")
              .withMetadata("by", by);
      case Denial.ChangeUnsettled() ->
          Refusal.conflict(
              "CHANGE_IN_PROGRESS",
              "pool-service has not put the last change of pools and profiles in force yet: repeat"
                  + " yours in some seconds");
      case Denial.ChangeAbandoned(var change) ->
          Refusal.conflict(
              "CHANGE_ABANDONED",
              "change "
                  + quoted(change)
                  + " came too late and was abandoned, so nothing of it is in force: apply it"
                  + " again");
      case Denial.KeyNotAllowed(var field, var owner, var explanation) ->
          withField(
              Refusal.permissionDenied(
                  "KEY_NOT_ALLOWED",
                  "you may not make a key for " + quoted(owner) + ": " + explanation),
              field);
      case Denial.KeyRejected() ->
          Refusal.of(
              Status.Code.UNAUTHENTICATED,
              "KEY_REJECTED",
              "this key is unknown, revoked or expired, or another machine's: get a new one from your"
                  + " admin");
      case Denial.ProofOutdated(var last) ->
          Refusal.conflict(
                  "PROOF_OUTDATED",
                  "this proof of the machine, or a newer one, was used before: make one with a"
                      + " counter above "
                      + last)
              .withMetadata("counter", last);
      case Denial.ProofAhead(var last) ->
          Refusal.conflict(
                  "PROOF_AHEAD",
                  "the counter of this proof is more than a day ahead of the service's clock: make"
                      + " one with the counter after "
                      + last)
              .withMetadata("counter", last);
      case Denial.CallerRevoked() -> Revocations.revoked();
      case Denial.JoinTokenRejected() ->
          Refusal.of(
              Status.Code.UNAUTHENTICATED,
              "JOIN_TOKEN_REJECTED",
              "this join token is unknown, expired or used up: get a new one from your admin");
      case Denial.TooManyAttempts(var retryAfter) ->
          Refusal.exhausted(
              "TOO_MANY_ATTEMPTS",
              "many wrong secrets come from your network, and no look-up was free for yours: try again",
              retryAfter);
    };
  }

  private static Refusal notFound(Kind kind, String id) {
    // Equals the refusal for a foreign tenant, word for word.
    return kind == Kind.TENANT
        ? Principals.tenantNotFound(id)
        : Refusal.notFound(reason(kind), "there is no " + kind.word() + " " + quoted(id))
            .withMetadata("id", id);
  }

  private static Refusal unknown(Denial.Unknown unknown) {
    String hint = unknown.nearest().map(near -> "; did you mean " + quoted(near) + "?").orElse("");
    String where =
        switch (unknown.kind()) {
          case PROFILE, POOL -> "is not provisioned";
          default -> "does not exist";
        };
    Refusal refusal =
        Refusal.invalidField(
                reason(unknown.kind()),
                unknown.field(),
                unknown.kind().word() + " " + quoted(unknown.id()) + " " + where + hint)
            .withMetadata("id", unknown.id());
    return unknown.nearest().map(near -> refusal.withMetadata("nearest", near)).orElse(refusal);
  }

  private static Refusal rights(Denial.OfRights denial) {
    return switch (denial) {
      case Denial.ReservationAboveLimit(var field, var kind, var id, var reservation, var limit) ->
          Refusal.invalidField(
                  "RESERVATION_ABOVE_LIMIT",
                  field,
                  "reservation "
                      + reservation
                      + " is above the limit "
                      + limit
                      + ": lower the reservation or raise the limit")
              .withMetadata(kind.word(), id)
              .withMetadata("reservation", reservation)
              .withMetadata("limit", limit);
      case Denial.DepartmentCycle(var field, var path) ->
          Refusal.invalidField(
              "DEPARTMENT_CYCLE",
              field,
              "department "
                  + quoted(path.getFirst())
                  + " would be above itself ("
                  + String.join(" in ", path)
                  + "): name another department, or none, for one of these");
      case Denial.DepartmentTooDeep(var field, var path, var max) ->
          Refusal.invalidField(
                  "DEPARTMENT_TOO_DEEP",
                  field,
                  "%d departments lie inside one another (%s), and %d is the limit: move %s up"
                      .formatted(
                          path.size(), String.join(" > ", path), max, quoted(path.getLast())))
              .withMetadata("max", max);
      case Denial.ProfileAboveLimit above ->
          Refusal.invalidField(
                  "PROFILE_ABOVE_LIMIT",
                  above.field(),
                  "one job of profile "
                      + quoted(above.profile())
                      + " needs "
                      + above.need()
                      + " GPUs, more than the limit "
                      + above.limit()
                      + " of policy "
                      + quoted(above.policy())
                      + ": queue "
                      + quoted(above.queue())
                      + " could never start one")
              .withMetadata("queue", above.queue())
              .withMetadata("profile", above.profile())
              .withMetadata("need", above.need())
              .withMetadata("policy", above.policy())
              .withMetadata("limit", above.limit());
      case Denial.AlreadyConnected(var field, var profile, var policy, var queue) ->
          Refusal.invalidField(
                  "ALREADY_CONNECTED",
                  field,
                  "profile "
                      + quoted(profile)
                      + " is connected to policy "
                      + quoted(policy)
                      + " by queue "
                      + quoted(queue)
                      + ": a profile has one queue in a policy")
              .withMetadata("queue", queue);
      case Denial.TooMany(var field, var kind, var max) ->
          withField(
                  Refusal.failedPrecondition(
                      "TOO_MANY", "a tenant has at most " + max + " of a kind: " + kind.word()),
                  field)
              .withMetadata("max", max);
    };
  }

  private static Refusal inUse(Denial.OfUse denial) {
    return switch (denial) {
      case Denial.GroupInUse(var group, var policies) ->
          Refusal.failedPrecondition(
                  "GROUP_IN_USE",
                  "group "
                      + quoted(group)
                      + " has the rights of policies "
                      + policies
                      + ": remove them or give them to another group first")
              .withMetadata("policies", String.join(",", policies));
      case Denial.GroupInVault(var group, var vaults) ->
          Refusal.failedPrecondition(
                  "GROUP_IN_USE",
                  "group "
                      + quoted(group)
                      + " is named by vaults "
                      + vaults
                      + ": remove them or take the group out of them first")
              .withMetadata("vaults", String.join(",", vaults));
      case Denial.TenantInUse(var tenant, var policies) ->
          Refusal.failedPrecondition(
                  "TENANT_IN_USE",
                  "tenant " + quoted(tenant) + " has " + policies + " policies: remove them first")
              .withMetadata("policies", policies);
      case Denial.TooManyKeys(var field, var owner, var max) ->
          withField(
                  Refusal.failedPrecondition(
                      "TOO_MANY",
                      quoted(owner)
                          + " has "
                          + max
                          + " keys, the limit for one owner: revoke some first"),
                  field)
              .withMetadata("max", max);
      case Denial.LastOperatorKey(var key) ->
          Refusal.failedPrecondition(
              "LAST_OPERATOR_KEY",
              "keys/" + key + " is the only key of an operator: make another one first");
    };
  }

  private static Refusal vault(Denial.OfVault denial) {
    return switch (denial) {
      case Denial.MalformedPattern(var field, var explanation) ->
          Refusal.invalidField("MALFORMED_PATTERN", field, explanation);
      case Denial.ReservedVariable(var field, var variable) ->
          Refusal.invalidField(
              "RESERVED_VARIABLE",
              field,
              quoted(variable)
                  + " is set by Headgate or read by the loader: choose a name that does not begin"
                  + " with HEADGATE_ or LD_");
      case Denial.VariableConflict(var field, var variable, var vault) ->
          Refusal.invalidField(
                  "VARIABLE_CONFLICT",
                  field,
                  "vault "
                      + quoted(vault)
                      + " sets "
                      + quoted(variable)
                      + " to something else for the same group: give both the same value, or leave"
                      + " it out of one")
              .withMetadata("variable", variable)
              .withMetadata("vault", vault);
      case Denial.EnvironmentTooLarge(var field, var bytes, var max) ->
          Refusal.invalidField(
                  "ENVIRONMENT_TOO_LARGE",
                  field,
                  "with this the vaults of one group set "
                      + bytes
                      + " bytes of names and values, and "
                      + max
                      + " are the limit: set less, here or in another vault of that group")
              .withMetadata("bytes", bytes)
              .withMetadata("max", max);
    };
  }

  private static Refusal withField(Refusal refusal, String field) {
    return refusal.withViolation(field, refusal.message());
  }

  private static String reason(Kind kind) {
    return kind.name() + "_NOT_FOUND";
  }

  static String quoted(String value) {
    return "'" + value + "'";
  }
}
