package io.headgate.sdk.cli;

import io.headgate.sdk.cli.command.CommandRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Commands of other schedulers and tools, with ours for the same purpose: of Slurm, PBS, LSF,
/// Kubernetes, containers and shells.
final class OtherTools {
  static final Map<String, String> OURS = new HashMap<>();

  static {
    ours("submit -q QUEUE -- CMD...", "sbatch", "qsub", "bsub", "create", "new", "enqueue");
    ours("submit -q QUEUE --follow -- CMD...", "srun", "salloc", "run", "start");
    ours("jobs", "squeue", "qstat", "bjobs", "ps", "ls", "list", "status", "stat", "job", "pods");
    ours("jobs JOB", "show", "describe", "inspect", "scontrol", "get");
    ours("cancel JOB", "scancel", "qdel", "bkill", "kill", "stop", "delete", "rm", "abort");
    ours("nodes", "sinfo", "pbsnodes", "bhosts", "node", "gpus", "devices", "nvidia-smi");
    ours("usage", "sacct", "sreport", "qacct", "bacct", "billing", "cost", "report");
    ours("policies", "sshare", "sprio", "quota", "quotas", "limits", "policy", "fairshare");
    ours("queues", "bqueues", "queue", "partitions");
    ours("logs -f JOB", "log", "tail", "attach", "output", "exec", "ssh", "sattach");
    ours("events", "history", "sdiag");
    ours("drain NODE", "cordon");
    ours("undrain NODE", "uncordon");
    ours("explain JOB", "why", "reason", "diagnose");
    ours("plan -f FILE", "diff", "validate", "check");
    ours("export", "config", "configuration", "edit", "sacctmgr", "dump");
    ours("up", "init", "install", "serve", "server", "demo");
    ours("whoami", "id", "me");
    ours("login URL", "auth", "signin");
  }

  /// Nouns after the `get`, `list`, `describe` or `show` of other tools that are commands of ours.
  private static final Map<String, String> NOUNS =
      Map.ofEntries(
          Map.entry("pod", "jobs"),
          Map.entry("pods", "jobs"),
          Map.entry("job", "jobs"),
          Map.entry("node", "nodes"),
          Map.entry("pool", "pools"),
          Map.entry("queue", "queues"),
          Map.entry("partition", "queues"),
          Map.entry("partitions", "queues"),
          Map.entry("policy", "policies"),
          Map.entry("profile", "profiles"),
          Map.entry("budget", "budgets"),
          Map.entry("event", "events"),
          Map.entry("key", "keys"));

  private OtherTools() {}

  private static void ours(String command, String... theirs) {
    for (String word : theirs) {
      OURS.put(word, command);
    }
  }

  /// Our command for the same purpose, with its arguments.
  ///
  /// @param word that is no command of ours
  /// @param rest of the command line
  static Optional<String> find(String word, List<String> rest) {
    if (word.equals("kubectl") || word.equals("docker") || word.equals("podman")) {
      return rest.isEmpty() ? Optional.of("jobs") : find(rest.getFirst(), tail(rest));
    }
    String noun = rest.isEmpty() ? "" : rest.getFirst();
    boolean isVerb = List.of("get", "list", "describe", "show", "ls").contains(word);
    Optional<String> named =
        Optional.of(NOUNS.getOrDefault(noun, noun)).filter(CommandRegistry.names()::contains);
    return isVerb && named.isPresent() ? named : Optional.ofNullable(OURS.get(word));
  }

  private static List<String> tail(List<String> words) {
    return words.subList(1, words.size());
  }
}
