package io.headgate.agent.runtime.attempt;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.driver.SlicePlan;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reports to the device watch whether the slices of an ended attempt could be freed. Confined to
/// the thread that frees them.
final class SliceReleaseReport {
  private static final Logger LOG = LoggerFactory.getLogger(SliceReleaseReport.class);

  /// Failed releases in a row until they are reported. A process may take a moment to close its
  /// device.
  private static final int TOO_OFTEN = 5;

  private final AttemptContext context;
  private final AttemptKey attempt;
  private int failures;

  SliceReleaseReport(AttemptContext context, AttemptKey attempt) {
    this.context = context;
    this.attempt = attempt;
  }

  /// Reads the devices anew.
  void look() {
    plans().stream()
        .map(plan -> plan.grant().deviceUuid())
        .distinct()
        .forEach(context.devices()::look);
  }

  void notFreed(String problem) {
    failures++;
    if (failures == TOO_OFTEN) {
      // Only the problem's text names the slice that failed, so all slices of the attempt are
      // reported.
      plans()
          .forEach(
              plan -> context.devices().stuck(plan.grant().deviceUuid(), plan.name(), problem));
    }
  }

  void freed() {
    if (failures >= TOO_OFTEN) {
      plans().forEach(plan -> context.devices().freed(plan.grant().deviceUuid(), plan.name()));
    }
  }

  private List<SlicePlan> plans() {
    try {
      return context.ledger().slices(attempt);
    } catch (IOException e) {
      LOG.warn("the slices of {} cannot be read: {}", attempt, e.getMessage());
      return List.of();
    }
  }
}
