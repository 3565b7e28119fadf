package io.headgate.sdk.cli.command.top;

import io.headgate.sdk.model.Event;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Placement;
import io.headgate.sdk.model.Reason;
import io.headgate.sdk.model.Usage;
import io.headgate.sdk.model.UsageKind;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Two pools, four policies and what else a screen may show.
final class TopFixtures {
  static final Instant NOW = Instant.parse("2026-11-21T13:58:02Z");

  private TopFixtures() {}

  private static GpuQuantity gpus(String text) {
    return GpuQuantity.parse(text);
  }

  private static Usage.OfPool pool(
      String id, String capacity, String used, String held, String idle, int nodes, long jobs) {
    return new Usage.OfPool(
        id,
        gpus(capacity),
        gpus(used),
        gpus(held),
        gpus(idle),
        gpus(idle).isFraction() ? gpus(idle) : GpuQuantity.ZERO,
        GpuQuantity.ZERO,
        nodes,
        nodes,
        jobs,
        jobs + 2);
  }

  private static Usage.OfPolicy policy(
      String id, String used, String reservation, String limit, long running, long waiting) {
    GpuQuantity all = gpus(used);
    GpuQuantity reserved = gpus(reservation);
    GpuQuantity entitled = all.compareTo(reserved) < 0 ? all : reserved;
    @Nullable Instant oldest = waiting == 0 ? null : NOW.minus(Duration.ofMinutes(26));
    return new Usage.OfPolicy(
        id,
        all,
        entitled,
        all.minus(entitled),
        reserved,
        gpus(limit),
        GpuQuantity.ZERO,
        running,
        waiting,
        oldest,
        id.equals("ai-dev") ? NOW.plus(Duration.ofMinutes(34)) : null);
  }

  static Job job(String id, JobState state, String gpus, @Nullable Reason reason) {
    return new Job(
        "acme",
        id,
        JobSpec.of("ai-dev-half", List.of("true")),
        state,
        "ada",
        "ai-dev",
        "half",
        gpus(gpus),
        1,
        1,
        List.of(),
        reason,
        state == JobState.WAITING ? 1 : 0,
        null,
        NOW.minus(Duration.ofMinutes(4)),
        null,
        null,
        null,
        UsageKind.NONE,
        false,
        1,
        null,
        null);
  }

  private static Event event(String message, Duration ago) {
    return new Event(
        1,
        NOW.minus(ago),
        Event.Type.PREEMPTED,
        "train-5",
        1,
        "",
        "ai-dev",
        "",
        List.<Placement>of(),
        "",
        null,
        message,
        Map.of());
  }

  static TopData data() {
    return new TopData(
        "acme",
        NOW,
        "sched-1 epoch 4",
        false,
        List.of(
            pool("onprem-rtx6000", "16", "29/2", "1", "1/2", 2, 29),
            pool("cloud-burst", "8", "7", "0", "1", 1, 3)),
        List.of(
            policy("ai-dev", "19/2", "4", "10", 18, 22),
            policy("research", "4", "6", "8", 5, 19),
            policy("platform", "6", "6", "8", 8, 0),
            policy("regulated", "2", "2", "2", 1, 0),
            policy("interns", "0", "0", "4", 0, 0)),
        List.of(
            new Usage.OfNode(
                "gpu-03",
                "onprem-rtx6000",
                Usage.Contact.CONNECTED,
                NOW,
                List.of(
                    new Usage.OfDevice(0, gpus("1/2"), GpuQuantity.ZERO, List.of("train-4")),
                    new Usage.OfDevice(1, GpuQuantity.ONE, GpuQuantity.ZERO, List.of("big-1"))),
                8000,
                34_359_738_368L,
                List.of("train-4", "big-1"),
                null,
                null,
                ""),
            new Usage.OfNode(
                "gpu-09",
                "onprem-rtx6000",
                Usage.Contact.LOST,
                NOW.minus(Duration.ofMinutes(3)),
                List.of(new Usage.OfDevice(0, GpuQuantity.ZERO, GpuQuantity.ZERO, List.of())),
                0,
                0,
                List.of(),
                null,
                null,
                "")),
        new TopData.Jobs(
            List.of(
                job("train-4", JobState.RUNNING, "1/2", null),
                job("big-1", JobState.RUNNING, "1", null),
                job(
                    "train-7",
                    JobState.WAITING,
                    "1/2",
                    new Reason("USER_LIMIT", "ada uses 6 of 6 in ai-dev", Map.of()))),
            Map.of("RUNNING", 2L, "WAITING", 1_000_000L)),
        List.of(
            event("train-5 is preempted by infer-2 (P1)", Duration.ofSeconds(4)),
            event("node gpu-09 is lost", Duration.ofMinutes(3)),
            event("train-1 starts on gpu-03", Duration.ofMinutes(4)),
            event("an older event", Duration.ofMinutes(5))));
  }

  static TopData withPolicies(int count) {
    TopData data = data();
    List<Usage.OfPolicy> policies = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      policies.add(policy("team-%03d".formatted(i), "1", "1", "2", 1, i));
    }
    return new TopData(
        data.tenant(),
        data.time(),
        data.leader(),
        true,
        data.pools(),
        policies,
        data.nodes(),
        data.jobs(),
        data.events());
  }

  static TopFrame frame(TopState state) {
    return new TopFrame(data(), state, Optional.empty(), true);
  }
}
