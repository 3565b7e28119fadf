package io.headgate.agent.core;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The variables by which the programs of a gang find each other: the names that PyTorch, torchrun,
/// Open MPI and NCCL read.
///
/// The names of others lie below the job's own environment, so a job may choose another
/// `MASTER_PORT`. The names that begin with `HEADGATE_` do not.
public final class GangEnvironment {
  /// Name of the file in a job's home that lists the hosts in the form of Open MPI.
  public static final String HOSTFILE = ".headgate-hostfile";

  private GangEnvironment() {}

  /// The names of others, which the job's own environment overrides.
  ///
  /// @param hostfile path of the [#HOSTFILE], as the job sees it
  /// @param networkInterface that has the node's address; empty: unknown
  public static SortedMap<String, String> conventions(
      Assignment assignment,
      Rendezvous rendezvous,
      String hostfile,
      Optional<String> networkInterface) {
    SortedMap<String, String> variables = new TreeMap<>();
    String rank = Integer.toString(assignment.key().worker());
    String workers = Integer.toString(assignment.workers());
    String node = Integer.toString(rendezvous.nodeRank());
    variables.put("RANK", rank);
    variables.put("WORLD_SIZE", workers);
    variables.put("LOCAL_RANK", Integer.toString(rendezvous.localRank()));
    variables.put("LOCAL_WORLD_SIZE", Integer.toString(rendezvous.localWorldSize()));
    variables.put("GROUP_RANK", node);
    variables.put("NODE_RANK", node);
    // Each worker runs a torchrun of its own, which torchrun calls a node.
    variables.put("PET_NNODES", workers);
    variables.put("PET_NODE_RANK", rank);
    variables.put("PET_NPROC_PER_NODE", Integer.toString(Math.max(1, assignment.slices().size())));
    String master = rendezvous.hosts().getFirst();
    variables.put("MASTER_ADDR", master);
    variables.put("PET_MASTER_ADDR", master);
    if (rendezvous.masterPort() > 0) {
      String port = Integer.toString(rendezvous.masterPort());
      variables.put("MASTER_PORT", port);
      variables.put("PET_MASTER_PORT", port);
    }
    // Open MPI 4 reads the first, Open MPI 5 the second.
    variables.put("OMPI_MCA_orte_default_hostfile", hostfile);
    variables.put("PRTE_MCA_prte_default_hostfile", hostfile);
    networkInterface.ifPresent(name -> {
      variables.put("NCCL_SOCKET_IFNAME", "=" + name);
      variables.put("GLOO_SOCKET_IFNAME", name);
    });
    return variables;
  }

  /// The names that only Headgate says.
  public static Map<String, String> own(Rendezvous rendezvous, String hostfile) {
    return Map.of(
        "HEADGATE_HOSTS", String.join(",", rendezvous.hosts()), "HEADGATE_HOSTFILE", hostfile);
  }

  /// The content of the [#HOSTFILE]: each host once, with as many slots as it has workers.
  ///
  /// Example: workers on `10.0.0.1`, `10.0.0.1` and `10.0.0.2` give `10.0.0.1 slots=2` and
  /// `10.0.0.2 slots=1`.
  public static String hostfile(List<String> hosts) {
    StringBuilder lines = new StringBuilder();
    hosts.stream()
        .distinct()
        .forEach(host ->
            lines
                .append(host)
                .append(" slots=")
                .append(hosts.stream().filter(host::equals).count())
                .append('\n'));
    return lines.toString();
  }
}
