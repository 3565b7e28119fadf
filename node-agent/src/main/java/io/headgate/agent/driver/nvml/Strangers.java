package io.headgate.agent.driver.nvml;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Treats instances on a GPU that match no recorded plan.
///
/// @param areRemoved whether those that no process uses are removed; otherwise they stay
record Strangers(boolean areRemoved) {
  private static final Logger LOG = LoggerFactory.getLogger(Strangers.class);

  void treat(List<SliceMechanism.Stranger> strangers) {
    strangers.forEach(this::treat);
  }

  private void treat(SliceMechanism.Stranger stranger) {
    if (!areRemoved) {
      LOG.warn(
          "{} was not made by Headgate and stays; Headgate places nothing there", stranger.words());
      return;
    }
    try {
      stranger.removal().run();
      LOG.warn("removed {}, which Headgate had not made and no process used", stranger.words());
    } catch (NvmlException e) {
      LOG.warn("{} was not made by Headgate and stays: {}", stranger.words(), e.getMessage());
    }
  }
}
