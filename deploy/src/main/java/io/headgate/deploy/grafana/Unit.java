package io.headgate.deploy.grafana;

/// The units of panels, and how many decimals a reader needs.
enum Unit {
  GPUS("suffix: GPUs", 2),
  GPU_HOURS("suffix: GPU-h", 2),
  JOBS("suffix: jobs", 0),
  COUNT("short", 0),
  PER_SECOND("cps", -1),
  SECONDS("s", -1),
  SHARE("percentunit", 1),
  RATIO("none", 2),
  BYTES("bytes", 1),
  WATTS("watt", 0),
  JOULES("joule", 1),
  CELSIUS("celsius", 0),
  CORES("suffix: CPUs", 2),
  MONEY("none", 2),
  NONE("none", -1);

  /// By Grafana's list of units.
  final String id;

  /// -1: Grafana chooses.
  final int decimals;

  Unit(String id, int decimals) {
    this.id = id;
    this.decimals = decimals;
  }
}
