package io.headgate.sdk.client;

import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationDiff;
import io.headgate.sdk.model.ConfigurationState.Versions;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.PlanEffects;
import io.headgate.sdk.model.Warning;
import io.headgate.sdk.wire.ConfigurationCalls;
import io.headgate.sdk.wire.ConfigurationCalls.InForce;
import java.util.List;

/// A checked change of a configuration, bound to the versions that it was made for. Both services
/// have checked it as a whole and stored nothing.
public final class Plan {
  /// Reason of a [HeadgateException]: pools and profiles took effect; groups, policies and queues
  /// did not. Its metadata has the `version` now in force; its cause says why.
  public static final String PARTLY_APPLIED = "PARTLY_APPLIED";

  /// Reason of a [HeadgateException]: the connection was lost, so it is unknown which part took
  /// effect. Its cause is the lost call.
  public static final String OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN";

  private final ConfigurationCalls calls;
  private final InForce inForce;
  private final Configuration wanted;
  private final ConfigurationDiff diff;
  private final List<Warning> warnings;

  private Plan(
      ConfigurationCalls calls, InForce inForce, Configuration wanted, ConfigurationDiff diff) {
    this.calls = calls;
    this.inForce = inForce;
    this.wanted = wanted;
    this.diff = diff;
    this.warnings =
        diff.isEmpty() ? List.of() : calls.check(wanted, inForce, diff.changesResources());
  }

  static Plan make(
      ConfigurationCalls calls, InForce inForce, Configuration wanted, ConfigurationDiff diff) {
    return new Plan(calls, inForce, wanted, diff);
  }

  public ConfigurationDiff diff() {
    return diff;
  }

  /// The versions that the plan was made for.
  public Versions base() {
    return inForce.state().versions();
  }

  /// The services' warnings about the plan.
  public List<Warning> warnings() {
    return warnings;
  }

  /// The effects of applying the plan now, as the scheduler computes them on a copy of its state.
  ///
  /// @param jobs jobs of each kind to name, 1 to 1000; further jobs are only counted
  /// @throws HeadgateException when the scheduler cannot compute the effects; the plan stays valid
  public PlanEffects effects(int jobs) {
    return calls.effects(wanted, inForce, diff.changesResources(), diff.changesAccess(), jobs);
  }

  /// Applies the plan and returns the versions in force afterwards.
  ///
  /// One transaction replaces pools and profiles, a second one groups, policies and queues. Supply
  /// comes first, so that policies never name missing profiles. Both are checked again before the
  /// first transaction. Only a concurrent change between the two, or a crash, can leave the change
  /// half made. The exception then says so, and planning and applying again completes it.
  ///
  /// @throws HeadgateException with reason VERSION_CHANGED after a concurrent change; with
  ///   [#PARTLY_APPLIED] or [#OUTCOME_UNKNOWN] when a part may have taken effect; with any other
  ///   reason when nothing took effect
  public Versions apply() {
    return new PlanApplication(calls, inForce, wanted, diff).run();
  }
}
