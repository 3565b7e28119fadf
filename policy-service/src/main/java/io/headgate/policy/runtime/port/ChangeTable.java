package io.headgate.policy.runtime.port;

import io.headgate.policy.core.name.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Decisions on changes of supply and rights.
public interface ChangeTable {
  Optional<ChangeDecision> find(TenantId tenant, String change);

  /// Stores a decision, unless there is one.
  void decide(ChangeDecision decision);

  /// Decisions that pool-service has not carried out yet, oldest first.
  List<ChangeDecision> unsettled();

  /// Decisions on changes of one tenant that pool-service has not carried out yet, oldest first.
  List<ChangeDecision> unsettled(TenantId tenant);

  /// Pool-service has carried the decision out.
  void settled(ChangeDecision decision);

  /// Forgets settled decisions that were made before, the oldest first.
  ///
  /// @param most forgotten at once
  void forget(Instant before, int most);
}
