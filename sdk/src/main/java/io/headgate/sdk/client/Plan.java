package io.headgate.sdk.client;

import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationDiff;
import io.headgate.sdk.model.ConfigurationState.Versions;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.Warning;
import io.headgate.sdk.wire.ConfigurationCalls;
import io.headgate.sdk.wire.ConfigurationCalls.Draft;
import io.headgate.sdk.wire.ConfigurationCalls.InForce;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A checked change of a configuration, bound to the versions that it was made for. Closing one
/// that was not applied leaves the tenant as it was found, its draft too.
public final class Plan implements AutoCloseable {
  private final ConfigurationCalls calls;
  private final InForce inForce;
  private final Configuration wanted;
  private final ConfigurationDiff diff;
  private @Nullable Runnable restoreDraft;
  private String draftEtag = "";
  private final List<Warning> warnings = new ArrayList<>();

  private Plan(
      ConfigurationCalls calls, InForce inForce, Configuration wanted, ConfigurationDiff diff) {
    this.calls = calls;
    this.inForce = inForce;
    this.wanted = wanted;
    this.diff = diff;
  }

  static Plan make(
      ConfigurationCalls calls, InForce inForce, Configuration wanted, ConfigurationDiff diff) {
    Plan plan = new Plan(calls, inForce, wanted, diff);
    if (diff.isEmpty()) {
      return plan;
    }
    try {
      plan.check();
      return plan;
    } catch (HeadgateException e) {
      plan.close();
      throw e;
    }
  }

  private void check() {
    if (diff.changesResources()) {
      restoreDraft = calls.draftRestorer();
      Draft draft = calls.replaceDraft(wanted, inForce.state().versions().resources());
      draftEtag = draft.etag();
      warnings.addAll(draft.warnings());
    }
    // Also when only resources change: a queue may need a profile that is going away.
    warnings.addAll(calls.checkAccess(wanted, inForce, diff.changesResources()).warnings());
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
    return List.copyOf(warnings);
  }

  /// Puts it in force: supply first, so that rights never speak of profiles that do not exist.
  /// Answers with the versions then in force.
  ///
  /// @throws HeadgateException with reason VERSION_CHANGED when something else was applied
  ///   meanwhile
  public Versions apply() {
    long resources = base().resources();
    if (diff.changesResources()) {
      resources = calls.provision(draftEtag, UUID.randomUUID().toString());
      restoreDraft = null;
    }
    long access = base().access();
    if (diff.changesAccess()) {
      access = calls.replaceAccess(wanted, inForce, UUID.randomUUID().toString()).version();
    }
    return new Versions(resources, access);
  }

  @Override
  public void close() {
    Runnable restore = restoreDraft;
    restoreDraft = null;
    if (restore != null) {
      restore.run();
    }
  }
}
