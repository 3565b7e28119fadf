package io.headgate.agent.grpc;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptUse;
import io.headgate.agent.core.JobProgress;
import io.headgate.agent.runtime.Agent;
import io.headgate.proto.agent.v1.Heartbeat;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The heartbeats of one session: what each says, and when those were sent that are not answered
/// yet. The session's thread only.
final class Heartbeats {
  private static final int MAX_UNANSWERED = 100;

  // The most that the contract takes in one heartbeat.
  private static final int MAX_PROGRESS = 256;
  private static final int MAX_USES = 256;

  private final Agent agent;
  private final LongSupplier bootMs;
  private final Map<Long, Long> unansweredBootMs = new LinkedHashMap<>();
  private final Map<AttemptKey, JobProgress> said = new HashMap<>();
  private final Map<AttemptKey, AttemptUse> usesSaid = new HashMap<>();
  private List<String> unusableSaid = List.of();
  private boolean imagesSaid;
  private long last;

  Heartbeats(Agent agent, LongSupplier bootMs) {
    this.agent = agent;
    this.bootMs = bootMs;
    this.imagesSaid = agent.runsImages();
  }

  /// The next heartbeat to send.
  Heartbeat next() {
    last++;
    long now = bootMs.getAsLong();
    unansweredBootMs.put(last, now);
    if (unansweredBootMs.size() > MAX_UNANSWERED) {
      unansweredBootMs.remove(unansweredBootMs.keySet().iterator().next());
    }
    unusableSaid = agent.unusableDevices();
    imagesSaid = agent.runsImages();
    Heartbeat.Builder heartbeat =
        Heartbeat.newBuilder()
            .setNumber(last)
            .addAllUnusableDevices(unusableSaid)
            .setRunsImages(imagesSaid);
    List<JobProgress> all = agent.progress();
    said.keySet().retainAll(all.stream().map(JobProgress::key).collect(Collectors.toSet()));
    for (JobProgress each : all) {
      if (isNews(each) && heartbeat.getProgressCount() < MAX_PROGRESS) {
        said.put(each.key(), each);
        heartbeat.addProgress(ToWire.progress(each, now));
      }
    }
    addUses(heartbeat);
    return heartbeat.build();
  }

  private void addUses(Heartbeat.Builder heartbeat) {
    List<AttemptUse> all = agent.uses();
    usesSaid.keySet().retainAll(all.stream().map(AttemptUse::key).collect(Collectors.toSet()));
    // Ended attempts come first: an update is about to report their end.
    for (AttemptUse each : all) {
      if (isNews(each) && heartbeat.getUsesCount() < MAX_USES) {
        usesSaid.put(each.key(), each);
        heartbeat.addUses(ToWire.use(each));
      }
    }
  }

  /// Whether the next one says what has to be known before the updates that follow from it.
  boolean isDue() {
    return !agent.unusableDevices().equals(unusableSaid)
        || agent.runsImages() != imagesSaid
        || agent.progress().stream().anyMatch(each -> each.isLast() && isNews(each))
        || agent.uses().stream().anyMatch(each -> each.isLast() && isNews(each));
  }

  private boolean isNews(JobProgress progress) {
    @Nullable JobProgress before = said.get(progress.key());
    return !progress.equals(before);
  }

  private boolean isNews(AttemptUse use) {
    @Nullable AttemptUse before = usesSaid.get(use.key());
    return !use.equals(before);
  }

  /// When the answered one was sent, by the boot clock.
  Optional<Long> answered(long number) {
    return Optional.ofNullable(unansweredBootMs.remove(number));
  }
}
