package io.headgate.deploy;

import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.config.ConfigurationReader;

/// The configuration of a fresh installation: one pool with all nodes, job sizes that suit its
/// GPUs, and one policy that may use all of it.
final class StarterConfiguration {
  static final String POOL = "local";

  private StarterConfiguration() {}

  /// @param gpus of all nodes together
  static Configuration forGpus(int gpus) {
    StringBuilder text = new StringBuilder();
    text.append("apiVersion: headgate/v1\nkind: Configuration\n");
    text.append("groups:\n  - {name: everyone}\n");
    text.append("pools:\n  - {name: local, type: static, description: this machine}\n");
    text.append("profiles:\n  - {name: cpu, gpus: 0, pools: [local]}\n");
    if (gpus > 0) {
      text.append("  - {name: one, gpus: 1, pools: [local]}\n");
      text.append("  - {name: half, gpus: 1/2, pools: [local]}\n");
      text.append("  - {name: quarter, gpus: 1/4, pools: [local]}\n");
    }
    if (gpus > 1) {
      text.append("  - {name: pair, gpus: 1, workers: 2, pools: [local]}\n");
    }
    text.append("policies:\n  - name: default\n    group: everyone\n");
    text.append("    reservation: ").append(gpus).append('\n');
    text.append("    limit: ").append(gpus).append('\n');
    text.append("    queues:\n");
    if (gpus > 0) {
      text.append("      - {name: one, profile: one}\n      - {name: half, profile: half}\n");
      text.append("      - {name: quarter, profile: quarter}\n");
    }
    if (gpus > 1) {
      text.append("      - {name: two-workers, profile: pair}\n");
    }
    text.append("      - {name: cpu, profile: cpu}\n");
    try {
      return ConfigurationReader.read("starter.yaml", text.toString()).configuration();
    } catch (ConfigurationException e) {
      throw new IllegalStateException("the starter configuration has mistakes: " + e, e);
    }
  }
}
