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
  /// Reason of a [HeadgateException]: the connection was lost, so it is unknown whether the change
  /// took effect; all of it did, or nothing. Its cause is the lost call.
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

  /// Applies the plan and returns the versions in force afterwards. All of it comes into force at
  /// one moment, or nothing does, whichever process fails.
  ///
  /// @throws HeadgateException with reason VERSION_CHANGED when the configuration is not the one
  ///   that was planned with any more; CHANGE_IN_PROGRESS while another change is applied;
  ///   DRAFT_OF_OTHERS when it would make a draft useless that others edited; [#OUTCOME_UNKNOWN]
  ///   when the answer was lost
  public Versions apply() {
    return apply(List.of());
  }

  /// Applies the plan although it makes edits of a draft useless.
  ///
  /// @param discardDraftsOf subjects of the others whose edits may be lost
  public Versions apply(List<String> discardDraftsOf) {
    return new PlanApplication(calls, inForce, wanted, diff).run(discardDraftsOf);
  }
}
