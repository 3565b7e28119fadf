package io.headgate.sdk.cli.command.job;

import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.scheduler.v1.PolicyUsage;
import io.headgate.proto.scheduler.v1.QueueUsage;
import io.headgate.sdk.cli.command.shared.PolicyStanding;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.CellWidth;
import io.headgate.sdk.cli.output.Output;
import io.headgate.sdk.cli.output.RowMessage;
import io.headgate.sdk.config.EnglishText;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Reason;
import io.headgate.sdk.model.Usage;
import io.headgate.sdk.wire.JobMessages;
import io.headgate.sdk.wire.Paging;
import io.headgate.sdk.wire.ResourceNames;
import io.headgate.sdk.wire.UsageMessages;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The standing of a policy: its usage, its users, and why the first job of each queue waits.
final class PolicyExplanation {
  /// Jobs that are counted by user.
  private static final int COUNTED = 10_000;

  /// Users that are shown.
  private static final int SHOWN = 20;

  private static final List<JobState> ACTIVE =
      List.of(
          JobState.WAITING,
          JobState.ASSIGNED,
          JobState.RUNNING,
          JobState.STOPPING,
          JobState.SUSPENDED);

  private final Invocation invocation;
  private final Output output;
  private final Policy policy;
  private final String name;
  private final PolicyUsage usage;
  private final List<QueueUsage> queues;

  PolicyExplanation(Invocation invocation, Policy policy) {
    this.invocation = invocation;
    this.output = invocation.output();
    this.policy = policy;
    this.name = ResourceNames.id(policy.getName());
    this.usage =
        invocation.session().catalog().policyUsages().stream()
            .filter(each -> each.getPolicy().equals(name))
            .findFirst()
            .orElse(
                PolicyUsage.newBuilder()
                    .setPolicy(name)
                    .setReservation(policy.getReservation())
                    .setLimit(policy.getLimit())
                    .build());
    this.queues =
        invocation.session().catalog().queueUsages().stream()
            .filter(each -> each.getPolicy().equals(name))
            .toList();
  }

  /// The messages for programs.
  List<RowMessage> messages() {
    List<RowMessage> messages = new ArrayList<>();
    messages.add(new RowMessage("policy", "policies", policy));
    messages.add(new RowMessage("usage", "usages", usage));
    queues.forEach(
        queue -> messages.add(new RowMessage("queue_" + queue.getQueue(), "queues", queue)));
    return messages;
  }

  void print() {
    Usage.OfPolicy use = UsageMessages.usage(usage);
    boolean unlimited = usage.getLimit().isEmpty();
    String standing =
        PolicyStanding.of(
                use.used(), use.reservation(), unlimited ? null : use.limit(), use.waitingJobs())
            .text();
    output.line(
        "%s (group %s) uses %s of its reservation %s, limit %s%s; %s, %s"
            .formatted(
                output.bold(name),
                policy.getGroup(),
                use.used().mixed(),
                use.reservation().mixed(),
                unlimited ? "none" : use.limit().mixed(),
                standing.isEmpty() ? "" : " (" + standing + ")",
                jobs(use.runningJobs(), "run"),
                jobs(use.waitingJobs(), "wait")));
    users();
    queues();
    output.note(
        "its jobs: headgate jobs --all --policy %s     its jobs that had to go: headgate events --policy %s"
            .formatted(name, name));
  }

  private void users() {
    List<Job> jobs =
        Paging.collect(
                COUNTED,
                (size, token) -> {
                  var page =
                      invocation
                          .session()
                          .jobs()
                          .list(
                              JobFilter.ALL.withPolicies(List.of(name)).withStates(ACTIVE),
                              size,
                              token);
                  return new Paging.Fetched<>(page.getJobsList(), page.getNextPageToken());
                })
            .items()
            .stream()
            .map(JobMessages::job)
            .toList();
    Map<String, Share> shares = new TreeMap<>();
    for (Job job : jobs) {
      shares.computeIfAbsent(job.user(), _ -> new Share()).add(job);
    }
    if (shares.isEmpty()) {
      return;
    }
    output.line("");
    output.line(output.bold("Users"));
    int width = shares.keySet().stream().mapToInt(CellWidth::of).max().orElse(0);
    shares.entrySet().stream()
        .sorted(
            Comparator.comparing((Map.Entry<String, Share> each) -> each.getValue().gpus)
                .reversed())
        .limit(SHOWN)
        .forEach(each ->
            output.line(
                "  %s  %s in use, %s, %s"
                    .formatted(
                        CellWidth.pad(each.getKey(), width),
                        each.getValue().gpus.mixed(),
                        jobs(each.getValue().running, "run"),
                        jobs(each.getValue().waiting, "wait"))));
  }

  private void queues() {
    output.line("");
    output.line(output.bold("Queues"));
    for (QueueUsage message : queues) {
      Usage.OfQueue queue = UsageMessages.usage(message);
      output.line(
          "  %s (profile %s): %s, %s"
              .formatted(
                  queue.id(),
                  queue.profile(),
                  jobs(queue.waitingJobs(), "wait"),
                  jobs(queue.runningJobs(), "run")));
      Reason reason = queue.headReason();
      if (reason != null) {
        output.line(
            "    its first job waits for %s: %s".formatted(reason.code(), reason.message()));
      }
    }
  }

  /// `no job waits`, `1 job runs`, `12 jobs run`.
  static String jobs(long count, String verb) {
    return count == 0
        ? "no job " + verb + "s"
        : EnglishText.count(count, "job") + " " + verb + (count == 1 ? "s" : "");
  }

  /// The part of one user.
  private static final class Share {
    private GpuQuantity gpus = GpuQuantity.ZERO;
    private long running;
    private long waiting;

    void add(Job job) {
      if (job.state() == JobState.WAITING || job.state() == JobState.SUSPENDED) {
        waiting++;
      } else {
        running++;
        gpus = gpus.plus(job.gpus());
      }
    }
  }
}
