package io.headgate.deploy.node;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// One agent that `up` starts.
///
/// @param id the node's id
/// @param pool id of the pool that it joins
/// @param gpus its simulated devices as the agent reads them (`8xH100`); [#LOCAL]: the devices of
///   this machine; empty: no devices
public record NodePlan(String id, String pool, String gpus) {
  /// Stands for the machine's own devices.
  public static final String LOCAL = "local";

  /// The machine itself, with or without its GPUs.
  private static final String MACHINE = "node-0";

  private static final Pattern SIMULATED =
      Pattern.compile("sim:(\\d{1,3})x((\\d{1,2})x([A-Za-z0-9]+)(-\\d+(GiB|GB))?(-(mig|amd))?)");
  private static final int MAX_NODES = 64;
  private static final int MAX_GPUS_PER_NODE = 64;

  /// Reads `none`, `cpu`, `local` or `sim:NODESxGPUSxMODEL[-MEMORY]`, for example
  /// `sim:2x8xA100-80GiB`; with `-mig` or `-amd` at the end the devices have places.
  ///
  /// @throws IllegalArgumentException saying what would be right
  public static List<NodePlan> parse(String text, String pool) {
    if (text.equals("none")) {
      return List.of();
    }
    if (text.equals("cpu")) {
      return List.of(new NodePlan(MACHINE, pool, ""));
    }
    if (text.equals(LOCAL)) {
      return List.of(new NodePlan(MACHINE, pool, LOCAL));
    }
    Matcher simulated = SIMULATED.matcher(text);
    if (!simulated.matches()) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" is not a set of nodes; write local, cpu, none or sim:NODESxGPUSxMODEL[-MEMORY],"
              + " for example sim:2x8xA100-80GiB");
    }
    int nodes = Integer.parseInt(simulated.group(1));
    int gpus = Integer.parseInt(simulated.group(3));
    if (nodes < 1 || nodes > MAX_NODES || gpus < 1 || gpus > MAX_GPUS_PER_NODE) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" asks for "
              + nodes
              + " nodes of "
              + gpus
              + " GPUs; between 1 and "
              + MAX_NODES
              + " nodes of 1 to "
              + MAX_GPUS_PER_NODE
              + " GPUs are possible in one process");
    }
    List<NodePlan> plans = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      plans.add(new NodePlan("sim-" + i, pool, simulated.group(2)));
    }
    return List.copyOf(plans);
  }

  /// This plan in another pool.
  public NodePlan in(String other) {
    return new NodePlan(id, other, gpus);
  }

  /// Whether its devices are those of this machine.
  public boolean isLocal() {
    return gpus.equals(LOCAL);
  }

  /// Whether its devices are simulated.
  public boolean isSimulated() {
    return !gpus.isEmpty() && !isLocal();
  }

  /// The model of its simulated devices; empty without devices.
  public String gpuModel() {
    Matcher simulated = SIMULATED.matcher("sim:1x" + gpus);
    return simulated.matches() ? simulated.group(4) : "";
  }

  /// How many simulated devices it has.
  public int gpuCount() {
    Matcher simulated = SIMULATED.matcher("sim:1x" + gpus);
    return simulated.matches() ? Integer.parseInt(simulated.group(3)) : 0;
  }
}
