package io.headgate.scheduler.grpc;

import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.CallOrigin;
import io.headgate.kit.grpc.FairBound;
import io.headgate.kit.grpc.PageTokens;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.proto.scheduler.v1.ListUsageIntervalsRequest;
import io.headgate.proto.scheduler.v1.ListUsageIntervalsResponse;
import io.headgate.proto.scheduler.v1.UsageInterval;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.ledger.Holding;
import io.headgate.scheduler.core.ledger.LastingPart;
import io.headgate.scheduler.core.ledger.LastingPart.Begin;
import io.headgate.scheduler.runtime.desk.LeaderView;
import io.headgate.scheduler.runtime.record.IntervalReader;
import io.headgate.scheduler.runtime.record.IntervalReader.Asked;
import io.headgate.scheduler.runtime.record.IntervalReader.Holder;
import io.headgate.scheduler.runtime.record.IntervalReader.Lasting;
import io.headgate.scheduler.runtime.record.IntervalReader.Open;
import io.headgate.scheduler.runtime.record.IntervalReader.Owned;
import io.headgate.scheduler.runtime.record.IntervalReader.Page;
import io.headgate.scheduler.runtime.record.IntervalReader.Position;
import io.headgate.scheduler.runtime.record.IntervalReader.SliceInterval;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.UsageRetention;
import io.headgate.type.GpuQuantity;
import io.headgate.type.Viewer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/// Lists the single intervals of the usage ledger, page by page. The leader says for each page
/// which intervals last, as far as the page reaches. The period ends where the first page ended it.
final class UsageIntervals {
  private static final Duration LONGEST_PERIOD = Duration.ofDays(31);

  /// Attempts that the leader looks at for a page, which takes its loop less than a millisecond.
  private static final int MOST_LASTING = 2_000;

  private static final Duration RETRY = Duration.ofSeconds(1);

  private final EndpointParts parts;
  private final JobReads jobs;
  private final IntervalReader reader;
  private final UsageRetention retention;

  /// Pages that are made at a time. Each asks the leader's loop and searches the database.
  private final FairBound pages = new FairBound(new FairBound.Limits(16, 8, 4, Long.MAX_VALUE));

  UsageIntervals(EndpointParts parts, IntervalReader reader, UsageRetention retention) {
    this.parts = parts;
    this.jobs = new JobReads(parts);
    this.reader = reader;
    this.retention = retention;
  }

  private record Said(Instant now, Viewer viewer, Open open) {}

  /// The end of the first page's period, and the last interval before this page.
  private record Continued(Instant until, Position after) {
    private static Continued parse(String text) {
      String[] numbers = text.split(" ", 6);
      return new Continued(
          Instant.ofEpochMilli(Long.parseLong(numbers[0])),
          new Position(
              Instant.ofEpochMilli(Long.parseLong(numbers[1])),
              Long.parseLong(numbers[2]),
              Integer.parseInt(numbers[3]),
              numbers[5],
              Integer.parseInt(numbers[4])));
    }

    String text() {
      return "%d %d %d %d %d %s"
          .formatted(
              until.toEpochMilli(),
              after.since().toEpochMilli(),
              after.job(),
              after.attempt(),
              after.slice(),
              after.node());
    }
  }

  /// @throws io.headgate.kit.failure.RefusalException RESOURCE_EXHAUSTED with reason TOO_MANY_LISTS
  ListUsageIntervalsResponse list(ListUsageIntervalsRequest request) {
    CallOrigin origin = CallOrigin.current();
    Optional<FairBound.Excess> excess = pages.enter(origin, 1);
    if (excess.isPresent()) {
      throw Refusal.exhausted(
              "TOO_MANY_LISTS",
              "%s has %d pages of usage intervals in progress and may have %d now; try again when one is answered"
                  .formatted(excess.get().holder(), excess.get().held(), excess.get().most()),
              RETRY)
          .exception();
    }
    try {
      return page(request);
    } finally {
      pages.leave(origin, 1);
    }
  }

  /// The query of the list's page tokens. The first word has the version of [Continued]'s text, so
  /// that a token from before an upgrade is refused and not misread.
  static List<String> query(ListUsageIntervalsRequest request) {
    return List.of(
        "ListUsageIntervals/2",
        request.toBuilder().clearPageSize().clearPageToken().build().toString());
  }

  private ListUsageIntervalsResponse page(ListUsageIntervalsRequest request) {
    TenantId tenant = Names.tenant(request.getParent());
    Principal caller = Principals.current();
    List<String> query = query(request);
    Optional<Continued> continued =
        parts.pages().read(query, request.getPageToken()).map(Continued::parse);
    int size = PageTokens.size(request.getPageSize());
    List<JobId> asked =
        request.getJobsList().stream()
            .map(job -> jobs.require(new JobName(tenant, job)).id())
            .toList();
    Instant from = ProtoTimes.instant(request.getStartTime()).truncatedTo(ChronoUnit.MILLIS);
    Said said = ask(caller, tenant, continued.map(Continued::after));
    requireKept(from, said.now());
    Instant until =
        continued
            .map(Continued::until)
            .orElseGet(() ->
                end(
                    from,
                    request.hasEndTime() ? ProtoTimes.instant(request.getEndTime()) : said.now(),
                    said.now()));
    Page page =
        reader.page(
            new Asked(
                tenant,
                said.viewer(),
                from,
                until,
                said.now(),
                new IntervalReader.Filter(
                    request.getPoolsList(),
                    request.getNodesList(),
                    request.getPoliciesList(),
                    asked,
                    request.getIncludeDown())),
            said.open(),
            continued.map(Continued::after),
            size);
    ListUsageIntervalsResponse.Builder response =
        ListUsageIntervalsResponse.newBuilder()
            .setStartTime(ProtoTimes.toProto(from))
            .setEndTime(ProtoTimes.toProto(until));
    page.intervals().forEach(interval -> response.addIntervals(interval(tenant, interval)));
    page.next()
        .ifPresent(next ->
            response.setNextPageToken(
                parts.pages().issue(query, new Continued(until, next).text())));
    return response.build();
  }

  private Said ask(Principal caller, TenantId tenant, Optional<Position> after) {
    return Refusals.leading(
        true,
        () ->
            parts
                .door()
                .ask(leader ->
                    new Said(
                        leader.now().truncatedTo(ChronoUnit.MILLIS),
                        Viewers.of(caller, tenant, leader.catalog()),
                        open(leader, tenant, after))));
  }

  /// The lasting intervals of the tenant's jobs; those of the owner of shared pools are in its
  /// pools.
  private static Open open(LeaderView leader, TenantId tenant, Optional<Position> after) {
    Position from = after.orElse(Position.before(Instant.EPOCH));
    LastingPart part =
        leader
            .reads()
            .openUsage(
                leader.now(),
                new Begin(from.since(), new JobId(from.job()), from.attempt()),
                MOST_LASTING,
                holding ->
                    (tenant.equals(TenantId.PLATFORM)
                            ? holding.place().pool().tenant()
                            : holding.policy().tenant())
                        .equals(tenant));
    return new Open(
        part.intervals().stream().map(interval -> lasting(leader, interval)).toList(),
        leader.reads().down().stream().filter(step -> step.node().tenant().equals(tenant)).toList(),
        part.reached()
            .map(begin ->
                new Position(
                    begin.since(), begin.job().value(), begin.attempt(), Integer.MAX_VALUE)));
  }

  private static Lasting lasting(
      LeaderView leader, io.headgate.scheduler.core.ledger.UsageInterval interval) {
    Holding holding = interval.holding();
    return new Lasting(
        interval,
        leader
            .reads()
            .job(holding.job())
            .map(job ->
                new Owned(job.name().id(), job.metadata().submitter(), job.metadata().policy())),
        leader
            .reads()
            .attempt(holding.job())
            .filter(attempt -> attempt.id().equals(new AttemptId(holding.job(), holding.attempt())))
            .flatMap(attempt -> attempt.attempt().stop())
            .map(StopOrder::at));
  }

  private Instant end(Instant from, Instant asked, Instant now) {
    Instant wanted = asked.truncatedTo(ChronoUnit.MILLIS);
    Instant until = wanted.isBefore(now) ? wanted : now;
    UsagePeriod.requireBegun(from, until, now);
    if (Duration.between(from, until).compareTo(LONGEST_PERIOD) > 0) {
      throw UsagePeriod.invalid(
          "start_time",
          "the period has more than %d days: from %s to %s; ask for a part of it, or for sums (ReportUsage, headgate usage)"
              .formatted(LONGEST_PERIOD.toDays(), from, until));
    }
    return until;
  }

  /// Also while a list is continued: what it goes on with may be deleted by now.
  private void requireKept(Instant from, Instant now) {
    Instant kept = now.minus(retention.intervals());
    if (from.isBefore(kept)) {
      throw UsagePeriod.invalid(
          "start_time",
          ("single intervals are kept for %d days (scheduler.usage.keep-intervals), from %s on, and"
                  + " the period begins at %s; ask for a later time, or for sums (ReportUsage, headgate usage)")
              .formatted(retention.intervals().toDays(), kept, from));
    }
  }

  private static UsageInterval interval(TenantId parent, SliceInterval interval) {
    UsageInterval.Builder told =
        UsageInterval.newBuilder()
            .setStartTime(ProtoTimes.toProto(interval.position().since()))
            .setPool(interval.pool())
            .setNode(interval.node())
            .setDevice(interval.device())
            .setDeviceUuid(interval.uuid())
            .setQuantity(GpuQuantity.format(interval.units()))
            .setHeld(interval.isHeld())
            .setDown(interval.isDown());
    interval.until().map(ProtoTimes::toProto).ifPresent(told::setEndTime);
    interval.holder().ifPresent(holder -> addHolder(told, parent, interval, holder));
    return told.build();
  }

  private static void addHolder(
      UsageInterval.Builder told, TenantId parent, SliceInterval interval, Holder holder) {
    told.setJob(holder.job())
        .setAttempt(interval.position().attempt())
        .setUser(holder.user())
        .setPolicy(holder.policy())
        .setQueue(holder.queue())
        .setProfile(holder.profile())
        .setPreempted(holder.preempted())
        .setTenant(holder.tenant().equals(parent) ? "" : holder.tenant().name());
    if (!interval.isHeld()) {
      told.setEntitled(GpuQuantity.format(holder.entitled()))
          .setOverReservation(GpuQuantity.format(holder.overReservation()))
          .setAboveLimit(GpuQuantity.format(holder.aboveLimit()));
    }
    holder.stopping().map(ProtoTimes::toProto).ifPresent(told::setStoppingTime);
  }
}
