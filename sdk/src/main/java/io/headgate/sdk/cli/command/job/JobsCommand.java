package io.headgate.sdk.cli.command.job;

import io.headgate.proto.scheduler.v1.ListJobsResponse;
import io.headgate.proto.scheduler.v1.WatchJobsResponse;
import io.headgate.sdk.cli.command.shared.NameCheck;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.frame.ListFlags;
import io.headgate.sdk.cli.frame.Session;
import io.headgate.sdk.cli.output.ListOptions;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.OutputForm;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.cli.output.RowStream;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.wire.JobWatch;
import io.headgate.sdk.wire.Paging;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `headgate jobs`.
@Command(
    header = {
      "headgate jobs                           your jobs: where they run, why they wait",
      "headgate jobs --all --state WAITING     waiting jobs of all users",
      "headgate jobs train-7                   one job with its attempts",
      ""
    },
    description = "Lists jobs that have not ended, and then those that ended within the last hour.")
public final class JobsCommand implements CliCommand {
  private static final Duration RECENT = Duration.ofHours(1);

  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Parameters(arity = "0..1", paramLabel = "JOB", description = "Show only this job.")
  private @Nullable String job;

  @Option(
      names = {"-a", "--all"},
      description = "Jobs of all users of the tenant, not only mine.")
  private boolean all;

  @Option(
      names = "--user",
      split = ",",
      paramLabel = "ID",
      description = "Only jobs of these users.")
  private List<String> users = List.of();

  @Option(
      names = {"-q", "--queue"},
      split = ",",
      paramLabel = "ID",
      description = "Only jobs in these queues.")
  private List<String> queues = List.of();

  @Option(
      names = "--policy",
      split = ",",
      paramLabel = "ID",
      description = "Only jobs of these policies.")
  private List<String> policies = List.of();

  @Option(
      names = "--state",
      split = ",",
      paramLabel = "STATE",
      description = "Only jobs in these states.")
  private List<String> states = List.of();

  @Option(names = "--label", paramLabel = "K=V", description = "Only jobs with these labels.")
  private Map<String, String> labels = Map.of();

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Only jobs submitted within this time, such as 24h.")
  private @Nullable String since;

  @Option(names = "--start", description = "Sort by expected start.")
  private boolean byStart;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    if (job != null) {
      new JobDetail(invocation).print(JobListing.row(invocation.session().jobs().get(job)));
      return 0;
    }
    boolean others = all || !users.isEmpty();
    Listing<Job> listing = JobListing.listing(invocation.output().times(), others);
    ListOptions options = options(invocation);
    if (options.form().columns().equals(List.of("help"))) {
      listing.print(List.of(), "", options, invocation.output());
      return 0;
    }
    return list.watch ? watch(invocation, listing, options) : list(invocation, listing, options);
  }

  private ListOptions options(Invocation invocation) {
    ListOptions options = list.options(invocation);
    return byStart && options.sort() == null
        ? new ListOptions(
            options.form(), options.headers(), "start", options.limit(), options.filter())
        : options;
  }

  private int list(Invocation invocation, Listing<Job> listing, ListOptions options) {
    JobFilter filter = filter(invocation);
    Map<String, Long> counts = new LinkedHashMap<>();
    // Sorting and filtering on the client need the whole list; otherwise one page is enough.
    boolean whole = options.sort() != null || options.filter() != null;
    Paging.Collected<io.headgate.proto.scheduler.v1.Job> found =
        isForPeople(options.form().kind())
            ? activeFirst(invocation, filter, whole ? 0 : options.limit(), counts)
            : collect(invocation, filter, whole ? 0 : options.limit(), counts);
    if (found.items().isEmpty()) {
      invocation.session().requireTenant();
    }
    List<Row<Job>> jobs = found.items().stream().map(JobListing::row).toList();
    if (found.nextPageToken().isEmpty()) {
      requireNames(invocation, jobs.stream().map(Row::value).toList());
    }
    List<Row<Job>> rows = listing.select(jobs, options);
    listing.print(rows, found.nextPageToken(), options, invocation.output());
    footer(invocation, rows.size(), counts, options);
    return 0;
  }

  /// Programs get one list of the server with its token.
  private static boolean isForPeople(OutputForm.Kind kind) {
    return switch (kind) {
      case TABLE, WIDE, COLUMNS, CSV, NAME -> true;
      case JSON, JSONL, YAML -> false;
    };
  }

  /// Jobs that have not ended, then the others, each newest first.
  private static Paging.Collected<io.headgate.proto.scheduler.v1.Job> activeFirst(
      Invocation invocation, JobFilter filter, long limit, Map<String, Long> counts) {
    List<JobState> wanted =
        filter.states().isEmpty()
            ? Arrays.stream(JobState.values()).filter(state -> state != JobState.UNKNOWN).toList()
            : filter.states();
    List<JobState> active = wanted.stream().filter(state -> !state.isFinal()).toList();
    List<JobState> ended = wanted.stream().filter(JobState::isFinal).toList();
    Paging.Collected<io.headgate.proto.scheduler.v1.Job> first =
        active.isEmpty()
            ? new Paging.Collected<>(List.of(), "")
            : collect(invocation, filter.withStates(active), limit, counts);
    if (ended.isEmpty()) {
      return first;
    }
    long left = limit == 0 ? 0 : limit - first.items().size();
    if (limit > 0 && left <= 0) {
      // Nothing of these is shown; the footer counts them.
      ListJobsResponse page = invocation.session().jobs().list(filter.withStates(ended), 1, "");
      counts.putAll(page.getCountsMap());
      boolean more = !first.nextPageToken().isEmpty() || page.getJobsCount() > 0;
      return new Paging.Collected<>(first.items(), more ? "more" : "");
    }
    Paging.Collected<io.headgate.proto.scheduler.v1.Job> rest =
        collect(invocation, filter.withStates(ended), left, counts);
    List<io.headgate.proto.scheduler.v1.Job> all = new ArrayList<>(first.items());
    all.addAll(rest.items());
    return new Paging.Collected<>(all, rest.nextPageToken());
  }

  private static Paging.Collected<io.headgate.proto.scheduler.v1.Job> collect(
      Invocation invocation, JobFilter filter, long limit, Map<String, Long> counts) {
    return Paging.collect(
        limit,
        (size, token) -> {
          ListJobsResponse page = invocation.session().jobs().list(filter, size, token, true);
          counts.putAll(page.getCountsMap());
          return new Paging.Fetched<>(page.getJobsList(), page.getNextPageToken());
        });
  }

  private void footer(
      Invocation invocation, int shown, Map<String, Long> counts, ListOptions options) {
    boolean table =
        options.form().kind() == OutputForm.Kind.TABLE
            || options.form().kind() == OutputForm.Kind.WIDE;
    if (!table || !invocation.output().terminal()) {
      return;
    }
    long total = counts.values().stream().mapToLong(Long::longValue).sum();
    List<String> parts = new ArrayList<>();
    for (JobState state : JobState.values()) {
      long count = counts.getOrDefault("STATE_" + state.name(), 0L);
      if (count > 0) {
        parts.add("%,d %s".formatted(count, state.name().toLowerCase(Locale.ROOT)));
      }
    }
    String dot = " " + invocation.output().symbols().dot() + " ";
    String more =
        total > shown && options.filter() == null
            ? "%s%s %,d more, --limit 0 for all"
                .formatted(dot, invocation.output().symbols().ellipsis(), total - shown)
            : "";
    String whose = all || !users.isEmpty() ? "" : dot + "only mine; --all for the tenant";
    if (total > 0 || !whose.isEmpty()) {
      String what = total == 1 ? "1 job" : "%,d jobs".formatted(total);
      invocation
          .output()
          .note(what + (parts.isEmpty() ? "" : ": " + String.join(", ", parts)) + more + whose);
    }
  }

  private int watch(Invocation invocation, Listing<Job> listing, ListOptions options) {
    RowStream<Job> stream = list.stream(listing, invocation);
    requireNames(invocation, List.of());
    Map<String, Row<Job>> known = new LinkedHashMap<>();
    try (JobWatch watch = invocation.session().jobs().watch(filter(invocation), 0)) {
      boolean inSnapshot = false;
      for (WatchJobsResponse step = watch.next();
          step != null && !invocation.output().isClosed();
          step = watch.next()) {
        inSnapshot = (inSnapshot || step.getSnapshot()) && !step.getSnapshotComplete();
        if (step.getSnapshot()) {
          known.clear();
        }
        step.getRemovedJobsList().forEach(known::remove);
        step.getJobsList().forEach(job -> known.put(job.getName(), JobListing.row(job)));
        if (stream == null && !inSnapshot) {
          invocation.output().clearScreen();
          List<Row<Job>> rows = listing.select(new ArrayList<>(known.values()), options);
          listing.print(rows, "", options, invocation.output());
        } else if (stream != null
            && !stream.print(step.getJobsList().stream().map(JobListing::row).toList())) {
          return 0;
        }
      }
    }
    return 0;
  }

  /// A filter value that matches no job may be mistyped, so the command checks that it exists.
  private void requireNames(Invocation invocation, List<Job> found) {
    Session session = invocation.session();
    NameCheck.QUEUE.require(session, queues, found, job -> job.spec().queue());
    NameCheck.POLICY.require(session, policies, found, Job::policy);
    NameCheck.USER.require(session, users, found, Job::user);
  }

  private JobFilter filter(Invocation invocation) {
    JobFilter filter =
        JobFilter.ALL
            .withQueues(queues)
            .withPolicies(policies)
            .withLabels(labels)
            .withUsers(
                !users.isEmpty() ? users : all ? List.of() : List.of(invocation.session().user()))
            .withStates(states.stream().map(JobSelection::state).toList());
    java.time.Instant now = invocation.environment().clock().instant();
    if (since != null) {
      return filter.withCreatedAfter(now.minus(Invocation.duration("--since", since)));
    }
    return states.isEmpty() ? filter.withActiveOrFinishedAfter(now.minus(RECENT)) : filter;
  }
}
