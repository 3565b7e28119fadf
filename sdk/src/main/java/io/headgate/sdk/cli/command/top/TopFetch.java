package io.headgate.sdk.cli.command.top;

import io.headgate.proto.scheduler.v1.GetLeadershipResponse;
import io.headgate.proto.scheduler.v1.ListJobsResponse;
import io.headgate.sdk.cli.frame.Session;
import io.headgate.sdk.model.Event;
import io.headgate.sdk.model.EventFilter;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.Usage;
import io.headgate.sdk.wire.EventMessages;
import io.headgate.sdk.wire.JobMessages;
import io.headgate.sdk.wire.UsageMessages;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Asks the server for the content of the screen, and for nothing else: sums and at most one screen
/// of jobs, however many jobs there are. It asks seldom for values that change seldom. One thread
/// only.
final class TopFetch {
  private static final int EVENTS = 3;
  private static final int EVENTS_EACH = 2;
  private static final int NODES_EACH = 2;
  private static final int JOBS_EACH = 2;
  private static final int OTHER_SUMS_EACH = 2;
  private static final int LEADER_EACH = 5;
  private static final int SUPPLY_EACH = 60;
  private static final String STATE = "STATE_";

  private final Session session;
  private final Clock clock;
  private int round;
  private List<Event> events = List.of();
  private List<Usage.OfNode> nodes = List.of();
  private List<Usage.OfPool> pools = List.of();
  private List<Usage.OfPolicy> policies = List.of();
  private TopData.Jobs jobs = TopData.Jobs.NONE;
  private @Nullable Question last;
  private String leader = "";
  private boolean simulated;

  /// The present content of the screen.
  ///
  /// @param jobs lines that there are for jobs
  record Question(TopView view, String filter, int jobs) {}

  TopFetch(Session session, Clock clock) {
    this.session = session;
    this.clock = clock;
  }

  /// Asks once. Failures leave what is known as it was.
  ///
  /// @throws io.headgate.sdk.model.HeadgateException when the server does not answer
  TopData fetch(Question question) {
    int now = round;
    if (now % SUPPLY_EACH == 0) {
      simulated = session.catalog().nodes().stream().anyMatch(node -> node.getSimulated());
    }
    if (now % LEADER_EACH == 0) {
      leader = leader(session.catalog().leadership());
    }
    if (now % EVENTS_EACH == 0) {
      events =
          session.jobs().events(EventFilter.ALL, EVENTS, "").getEventsList().stream()
              .map(EventMessages::event)
              .toList();
    }
    boolean wantsNodes = question.view() == TopView.NODES;
    if (wantsNodes && (now % NODES_EACH == 0 || nodes.isEmpty())) {
      nodes = session.catalog().nodeUsages().stream().map(UsageMessages::usage).toList();
    }
    boolean isNew = !question.equals(last);
    boolean isOfSums = question.view() == TopView.POOLS || question.view() == TopView.POLICIES;
    if (isOfSums || isNew || now % OTHER_SUMS_EACH == 0) {
      pools = session.catalog().poolUsages().stream().map(UsageMessages::usage).toList();
    }
    if (isOfSums || policies.isEmpty()) {
      policies = session.catalog().policyUsages().stream().map(UsageMessages::usage).toList();
    }
    if (question.view() == TopView.JOBS && (isNew || now % JOBS_EACH == 0)) {
      jobs = jobs(question);
    }
    last = question;
    TopData data =
        new TopData(
            session.tenant(),
            clock.instant(),
            leader,
            simulated,
            pools,
            policies,
            wantsNodes ? nodes : List.of(),
            question.view() == TopView.JOBS ? jobs : TopData.Jobs.NONE,
            events);
    round = now + 1;
    return data;
  }

  private static String leader(GetLeadershipResponse told) {
    return told.getLeader().isEmpty() ? "" : told.getLeader() + " epoch " + told.getEpoch();
  }

  /// Jobs with slices first; waiting ones in the lines that are left.
  private TopData.Jobs jobs(Question question) {
    TopFilter filter = TopFilter.parse(question.filter());
    int room = Math.max(1, question.jobs());
    Map<String, Long> counts = new HashMap<>();
    List<Job> shown = new ArrayList<>(page(filter.started(), room, counts));
    if (!filter.namesStates()) {
      // One more than there is room for, so that the counts always come along.
      List<Job> waiting = page(filter.waiting(), Math.max(1, room - shown.size()), counts);
      shown.addAll(waiting.subList(0, Math.min(waiting.size(), room - shown.size())));
    }
    return new TopData.Jobs(shown, counts);
  }

  private List<Job> page(JobFilter filter, int size, Map<String, Long> counts) {
    ListJobsResponse page = session.jobs().list(filter, size, "");
    page.getCountsMap()
        .forEach((state, count) -> counts.put(state.substring(STATE.length()), count));
    return page.getJobsList().stream().map(JobMessages::job).toList();
  }
}
