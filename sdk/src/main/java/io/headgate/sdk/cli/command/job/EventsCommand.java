package io.headgate.sdk.cli.command.job;

import io.headgate.proto.scheduler.v1.ListEventsResponse;
import io.headgate.proto.scheduler.v1.WatchEventsResponse;
import io.headgate.sdk.cli.command.shared.JobTexts;
import io.headgate.sdk.cli.command.shared.NameCheck;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.frame.ListFlags;
import io.headgate.sdk.cli.frame.Session;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.ListOptions;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.cli.output.RowStream;
import io.headgate.sdk.cli.output.Style;
import io.headgate.sdk.cli.output.Table;
import io.headgate.sdk.cli.output.TimeText;
import io.headgate.sdk.model.Event;
import io.headgate.sdk.model.EventFilter;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.wire.EventMessages;
import io.headgate.sdk.wire.EventWatch;
import io.headgate.sdk.wire.Paging;
import io.headgate.sdk.wire.ResourceNames;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `headgate events`.
@Command(
    header = {
      "headgate events -w              new events as they happen",
      "headgate events --job train-7   the history of one job",
      "headgate events --by infer-2    which jobs had to go for it",
      "headgate events --by research   which jobs had to go for jobs of this policy or user",
      "headgate events --since 24h --policy ai-dev",
      ""
    },
    description = "Lists events, newest last.")
public final class EventsCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Option(names = "--job", paramLabel = "JOB", description = "Only events of this job.")
  private @Nullable String job;

  @Option(
      names = "--policy",
      paramLabel = "ID",
      description = "Only events about jobs of this policy.")
  private @Nullable String policy;

  @Option(
      names = "--by",
      paramLabel = "NAME",
      description =
          "Only preemptions and moves that made room for this job, or for jobs of this policy or user.")
  private @Nullable String by;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Only events within this time, such as 24h.")
  private @Nullable String since;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    Listing<Event> listing = listing(invocation.output().times());
    ListOptions options = list.options(invocation);
    if (options.form().columns().equals(List.of("help"))) {
      listing.print(List.of(), "", options, invocation.output());
      return 0;
    }
    return list.watch ? watch(invocation, listing, options) : list(invocation, listing, options);
  }

  private int list(Invocation invocation, Listing<Event> listing, ListOptions options) {
    EventFilter filter = filter(invocation);
    long limit = options.filter() != null ? 0 : options.limit();
    Paging.Collected<io.headgate.proto.scheduler.v1.Event> found =
        Paging.collect(
            limit == 0 ? ListOptions.TERMINAL_LIMIT * 10L : limit,
            (size, token) -> {
              ListEventsResponse page = invocation.session().jobs().events(filter, size, token);
              return new Paging.Fetched<>(
                  page.getEventsList().stream()
                      .filter(event -> filter.matches(EventMessages.event(event)))
                      .toList(),
                  page.getNextPageToken());
            });
    // The server returns the newest first; the list prints the oldest first.
    List<Row<Event>> rows = found.items().reversed().stream().map(EventsCommand::row).toList();
    if (rows.isEmpty() && policy != null) {
      NameCheck.POLICY.require(invocation.session(), List.of(policy), List.of(), Job::policy);
    }
    listing.print(
        listing.select(rows, options), found.nextPageToken(), options, invocation.output());
    return 0;
  }

  private EventFilter filter(Invocation invocation) {
    Instant now = invocation.environment().clock().instant();
    boolean isJob = by != null && isJob(invocation, by);
    return EventFilter.ALL
        .withJob(job)
        .withPolicy(policy)
        .withByJob(isJob ? by : null)
        .withByWhom(isJob ? null : by)
        .withAfter(since == null ? null : now.minus(Invocation.duration("--since", since)));
  }

  /// Whether the name is no policy's and no user's without being a job's as well.
  private static boolean isJob(Invocation invocation, String name) {
    Session session = invocation.session();
    boolean isOther =
        session.catalog().policies().stream()
                .anyMatch(policy -> ResourceNames.id(policy.getName()).equals(name))
            || session.identity().people(session.tenant()).contains(name);
    if (!isOther) {
      // The server refuses an unknown job.
      return true;
    }
    try {
      session.jobs().get(name);
      return true;
    } catch (HeadgateException e) {
      if (e.reason().equals("JOB_NOT_FOUND") || e.reason().equals("INVALID_NAME")) {
        return false;
      }
      throw e;
    }
  }

  private int watch(Invocation invocation, Listing<Event> listing, ListOptions options) {
    Table<Event> table =
        new Table<>(
            listing.columns().stream().filter(column -> !column.wide()).toList(),
            invocation.output().paint(),
            invocation.output().symbols());
    RowStream<Event> stream = list.stream(listing, invocation);
    EventFilter filter = filter(invocation);
    try (EventWatch watch = invocation.session().jobs().watchEvents(0)) {
      for (WatchEventsResponse step = watch.next();
          step != null && !invocation.output().isClosed();
          step = watch.next()) {
        List<Row<Event>> rows =
            step.getEventsList().stream()
                .map(EventsCommand::row)
                .filter(row -> filter.matches(row.value()))
                .toList();
        if (stream == null) {
          int width = invocation.output().width().getAsInt();
          for (Row<Event> row : listing.select(rows, options)) {
            table.lines(List.of(row.value()), false, width).forEach(invocation.output()::line);
          }
        } else if (!stream.print(rows)) {
          return 0;
        }
      }
    }
    return 0;
  }

  private static Row<Event> row(io.headgate.proto.scheduler.v1.Event event) {
    return Row.of(EventMessages.event(event), "event", "events", event);
  }

  private static Listing<Event> listing(TimeText times) {
    return new Listing<>(
        "events",
        List.of("events"),
        event -> String.valueOf(event.version()),
        List.of(
            Column.<Event>of("TIME", event -> Cell.of(times.exact(event.time())))
                .plainly(event -> TimeText.machine(event.time()))
                .sortedBy(Event::version),
            Column.of("EVENT", event -> Cell.of(style(event.type()), word(event.type()))),
            Column.of("JOB", event -> Cell.of(event.job().isEmpty() ? event.node() : event.job())),
            Column.<Event>of("WHERE", event -> Cell.of(JobTexts.place(event.placements())))
                .leaving(1),
            Column.<Event>of("WHAT", event -> Cell.of(text(event))).givingWay(),
            Column.<Event>of("QUEUE", event -> Cell.of(event.queue())).whenWide(),
            Column.<Event>of("POLICY", event -> Cell.of(event.policy())).whenWide(),
            Column.<Event>of("POOL", event -> Cell.of(event.pool())).whenWide(),
            Column.<Event>of("ATTEMPT", event -> Cell.of(event.attempt())).toRight().whenWide()));
  }

  private static String word(Event.Type type) {
    return type.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static String text(Event event) {
    if (!event.message().isEmpty()) {
      return event.message();
    }
    return event.preemption() == null ? "" : JobTexts.preemption(event.preemption());
  }

  private static Style style(Event.Type type) {
    return switch (type) {
      case STARTED, RESUMED, FINISHED, NODE_CONNECTED -> Style.GOOD;
      case PREEMPTED,
          STOPPING,
          STOP_PHASE,
          SUSPENDED,
          NODE_CLOSING,
          NODE_SUSPECT,
          NODE_SET_ASIDE,
          DEVICE_CHANGED,
          BUDGET ->
          Style.WAITING;
      case NODE_LOST -> Style.BAD;
      case SUBMITTED, ASSIGNED, REQUEUED, REASON_CHANGED, QUEUED, UPDATED, UNKNOWN -> Style.PLAIN;
    };
  }
}
