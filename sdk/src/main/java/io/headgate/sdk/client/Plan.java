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
/// have checked the whole of it, and nothing is stored anywhere.
public final class Plan {
  /// Reason of a [HeadgateException]: pools and profiles took effect, groups, policies and queues
  /// did not. `version` in its metadata is what is in force then; its cause says why.
  public static final String PARTLY_APPLIED = "PARTLY_APPLIED";

  /// Reason of a [HeadgateException]: the server was lost on the way, so it is not known what took
  /// effect. Its cause says how.
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

  /// What the services have to say about it.
  public List<Warning> warnings() {
    return warnings;
  }

  /// What it would do if it were in force now, decided by the scheduler on a copy of what stands.
  ///
  /// @param jobs of each kind to name, 1 to 1000; the others are counted
  /// @throws HeadgateException when the scheduler cannot say; the plan is as good as before
  public PlanEffects effects(int jobs) {
    return calls.effects(wanted, inForce, diff.changesResources(), diff.changesAccess(), jobs);
  }

  /// Puts it in force and answers with the versions then in force.
  ///
  /// Pools and profiles are one transaction, groups, policies and queues the next: supply first, so
  /// that rights never speak of profiles that do not exist. Both are checked once more before the
  /// first, so that only a change by somebody else between the two, or a crash, can leave the
  /// change half made. Then this says so, and to plan and apply again does the rest.
  ///
  /// @throws HeadgateException with reason VERSION_CHANGED when something else was applied
  ///   meanwhile; with [#PARTLY_APPLIED] or [#OUTCOME_UNKNOWN] when it is not true that nothing
  ///   took effect, and with any other reason when nothing did
  public Versions apply() {
    return new PlanApplication(calls, inForce, wanted, diff).run();
  }
}
