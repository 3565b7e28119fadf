package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.Elasticity;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.PreemptionOutcome;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.TenantShare;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.core.property.History.Obedience;
import io.headgate.scheduler.core.property.Scenarios.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedSet;
import java.util.Set;

/// Writes a [History] as a file that `headgate simulate` reads (formats/simulation.md). It writes
/// the text itself, because the core and its tests depend on nothing. A test of `deploy` has the
/// command read and play such a file. Comments hold the parts that the format cannot express.
final class ScenarioText {
  private final StringBuilder text = new StringBuilder();
  private final List<String> unsaid = new ArrayList<>();
  private final Map<NodeId, Node> nodes = new LinkedHashMap<>();
  private final Instant beginning;
  private final History history;

  private ScenarioText(History history) {
    this.history = history;
    this.beginning = history.steps().getFirst().at();
  }

  /// @param comment said at the top, line by line
  static String write(History history, List<String> comment) {
    return new ScenarioText(history).write(comment);
  }

  private String write(List<String> comment) {
    Catalog first = null;
    List<String> events = new ArrayList<>();
    List<NodeId> late = new ArrayList<>();
    for (Step step : history.steps()) {
      String at = "at: " + time(Duration.between(beginning, step.at()));
      for (Input input : step.inputs()) {
        switch (input) {
          case Input.CatalogChanged(var catalog) -> {
            if (first == null) {
              first = catalog;
            } else {
              changes(first, catalog).forEach(change -> events.add("{" + at + ", " + change + "}"));
            }
          }
          case Input.NodeChanged(var node) -> {
            boolean isNew = nodes.putIfAbsent(node.id(), node) == null;
            boolean isUp = node.status() == NodeStatus.READY;
            if (!Objects.requireNonNull(nodes.get(node.id())).devices().equals(node.devices())) {
              unsaid.add(at + ": " + input);
            }
            if (isNew && step.at().isAfter(beginning)) {
              late.add(node.id());
            }
            if (!isNew || !isUp || step.at().isAfter(beginning)) {
              events.add(
                  "{%s, %s: %s}".formatted(at, isUp ? "nodeUp" : "nodeDown", node.id().name()));
            }
          }
          case Input.JobSubmitted(var spec, var _) ->
              events.add("{" + at + ", submit: " + job(spec) + "}");
          case Input.JobCancelled(var job) ->
              events.add("{%s, cancel: j%d}".formatted(at, job.id().value()));
          case Input.TimePassed _ -> {}
          case Input.NodeRemoved _,
              Input.JobRequeued _,
              Input.JobWithdrawn _,
              Input.JobUpdated _,
              Input.WorkerStarted _,
              Input.AttemptCheckpointed _,
              Input.WorkerExited _,
              Input.WorkerStopped _,
              Input.WorkerSuspended _,
              Input.WorkerRejected _,
              Input.WorkerUndelivered _,
              Input.NodeCleared _,
              Input.WorkerLost _ ->
              unsaid.add(at + ": " + input);
        }
      }
    }
    late.reversed().forEach(id -> events.addFirst("{at: 0s, nodeDown: " + id.name() + "}"));
    text.append("apiVersion: headgate/v1\nkind: Scenario\nconfiguration:\n");
    if (first != null) {
      configuration(first);
    }
    items("", "nodes", nodes.values().stream().map(ScenarioText::node).toList());
    items("", "events", events);
    history
        .obedience()
        .map(Obedience::stopTime)
        .filter(stopTime -> !stopTime.isZero())
        .ifPresent(stopTime -> text.append("options: {stopTime: ").append(time(stopTime) + "}\n"));
    return comments(comment) + text;
  }

  private String comments(List<String> comment) {
    StringBuilder lines = new StringBuilder();
    comment.forEach(line -> lines.append("# ").append(line).append('\n'));
    if (!unsaid.isEmpty()) {
      lines.append("# The format cannot say this, so a simulation may go another way:\n");
      unsaid.forEach(line -> lines.append("#   ").append(line).append('\n'));
    }
    return lines.toString();
  }

  private void items(String indent, String name, Collection<String> lines) {
    if (!lines.isEmpty()) {
      text.append(indent).append(name).append(":\n");
      lines.forEach(line -> text.append(indent).append("  - ").append(line).append('\n'));
    }
  }

  private void configuration(Catalog catalog) {
    if (catalog.pools().stream().anyMatch(pool -> pool.elasticity().isPresent())) {
      unsaid.add("when instances of elastic pools come");
    }
    items("  ", "tenants", tenants(catalog).stream().map(id -> tenant(catalog, id)).toList());
    items("  ", "pools", catalog.pools().stream().map(ScenarioText::pool).toList());
    items("  ", "profiles", catalog.profiles().stream().map(ScenarioText::profile).toList());
    items("  ", "departments", departments(catalog));
    text.append("  policies:\n");
    for (Policy policy : catalog.policies()) {
      text.append("    - name: ").append(policy.id().name()).append('\n');
      if (!tenants(catalog).isEmpty()) {
        text.append("      tenant: ").append(policy.id().tenant().name()).append('\n');
      }
      policy
          .department()
          .filter(id -> catalog.departments().stream().anyMatch(each -> each.id().equals(id)))
          .ifPresent(id -> text.append("      department: ").append(id.name()).append('\n'));
      rights(policy, Policy.of(policy.id(), policy.reservation(), policy.limit()))
          .forEach((key, value) ->
              text.append("      ").append(key).append(": ").append(value).append('\n'));
      items(
          "      ",
          "queues",
          catalog.queues().stream()
              .filter(queue -> queue.policy().equals(policy.id()))
              .map(this::queue)
              .toList());
    }
  }

  /// The tenants that share pools; empty where pools are not shared.
  private static SequencedSet<TenantId> tenants(Catalog catalog) {
    SequencedSet<TenantId> tenants = new LinkedHashSet<>();
    catalog.policies().forEach(policy -> tenants.add(policy.id().tenant()));
    catalog.shares().forEach(share -> tenants.add(share.tenant()));
    return tenants.equals(Set.of(catalog.tenant())) && catalog.shares().isEmpty()
        ? new LinkedHashSet<>()
        : tenants;
  }

  // --- Lines. Defaults are left out.

  private static String tenant(Catalog catalog, TenantId tenant) {
    return "{name: " + tenant.name() + ", shares: " + shares(catalog, tenant) + "}";
  }

  private static List<String> shares(Catalog catalog, TenantId tenant) {
    List<String> shares = new ArrayList<>();
    for (TenantShare share : catalog.shares()) {
      if (share.tenant().equals(tenant)) {
        Map<String, String> line = new LinkedHashMap<>();
        line.put("pool", share.pool().name());
        share.reservation().ifPresent(units -> line.put("reservation", units.toString()));
        share.limit().ifPresent(limit -> line.put("limit", limit.toString()));
        unless(line, "weight", share.weight(), 1);
        shares.add(inline(line));
      }
    }
    return shares;
  }

  private static List<String> departments(Catalog catalog) {
    List<String> departments = new ArrayList<>();
    for (Department department : catalog.departments()) {
      Map<String, String> line = new LinkedHashMap<>();
      line.put("name", department.id().name());
      department.parent().ifPresent(parent -> line.put("department", parent.name()));
      department.reservation().ifPresent(units -> line.put("reservation", units.toString()));
      department.limit().ifPresent(units -> line.put("limit", units.toString()));
      unless(line, "weight", department.weight(), 1);
      departments.add(inline(line));
    }
    return departments;
  }

  private static String pool(Pool pool) {
    Map<String, String> line = new LinkedHashMap<>();
    line.put("name", pool.id().name());
    pool.gpuModel().ifPresent(model -> line.put("gpuModel", model));
    pool.capacity().ifPresent(capacity -> line.put("capacity", capacity.toString()));
    if (!pool.order().isEmpty()) {
      line.put("order", pool.order().stream().map(ProfileId::name).toList().toString());
    }
    pool.dedicatedTo().ifPresent(to -> line.put("dedicatedTo", "{policy: " + to.name() + "}"));
    pool.promoteAfter().ifPresent(after -> line.put("promoteAfter", time(after)));
    pool.halfLife()
        .ifPresent(halfLife -> line.put("fairness", "{halfLife: " + time(halfLife) + "}"));
    pool.elasticity().ifPresent(elasticity -> elastic(line, elasticity));
    return inline(line);
  }

  private static void elastic(Map<String, String> line, Elasticity elasticity) {
    line.put("type", "elastic");
    line.put("provider", "exec");
    line.put(
        "instance",
        "{gpus: %d, gpuModel: %s, gpuMemory: %s, cpus: %s, memory: %s}"
            .formatted(
                elasticity.instance().gpus(),
                elasticity.instance().gpuModel(),
                gibibytes(elasticity.instance().gpuMemoryBytes()),
                cpus(elasticity.instance().cpuMillis()),
                gibibytes(elasticity.instance().memoryBytes())));
    line.put("minInstances", Integer.toString(elasticity.minInstances()));
    line.put("maxInstances", Integer.toString(elasticity.maxInstances()));
    line.put("idleTimeout", time(elasticity.idleTimeout()));
  }

  private static String profile(Profile profile) {
    Map<String, String> line = new LinkedHashMap<>();
    line.put("name", profile.id().name());
    line.put("gpus", profile.gpus().toString());
    unless(line, "workers", profile.workers(), 1);
    if (profile.cpuMillis() > 0) {
      line.put("cpus", cpus(profile.cpuMillis()));
    }
    if (profile.memoryBytes() > 0) {
      line.put("memory", gibibytes(profile.memoryBytes()));
    }
    profile.gpuMemoryBytes().ifPresent(bytes -> line.put("gpuMemory", gibibytes(bytes)));
    if (profile.isolation() != Isolation.NONE) {
      line.put("isolation", keyword(profile.isolation()));
    }
    if (!profile.gpuModels().isEmpty()) {
      line.put("gpuModels", profile.gpuModels().stream().sorted().toList().toString());
    }
    line.put("pools", profile.pools().stream().map(pool -> pool.name()).toList().toString());
    if (!profile.holdAfter().equals(Profile.DEFAULT_HOLD_AFTER)) {
      line.put("holdAfter", time(profile.holdAfter()));
    }
    if (!profile.preemptionDelay().equals(Profile.DEFAULT_PREEMPTION_DELAY)) {
      line.put("preemptionDelay", time(profile.preemptionDelay()));
    }
    unless(line, "reclaim", keyword(profile.reclaim()), keyword(Reclaim.RESERVATION));
    return inline(line);
  }

  /// The rights of a policy that differ from the usual policy's; reservation and limit always.
  private static Map<String, String> rights(Policy policy, Policy usual) {
    Map<String, String> rights = new LinkedHashMap<>();
    rights.put("reservation", policy.reservation().toString());
    rights.put("limit", policy.limit().toString());
    unless(rights, "weight", policy.weight(), usual.weight());
    unless(
        rights,
        "perUserLimit",
        policy.perUserLimit().map(Object::toString).orElse("null"),
        usual.perUserLimit().map(Object::toString).orElse("null"));
    unless(rights, "exceedLimit", users(policy), users(usual));
    unless(
        rights,
        "onPreempt",
        policy.onPreempt() == PreemptionOutcome.CANCEL ? "cancel" : "requeue",
        usual.onPreempt() == PreemptionOutcome.CANCEL ? "cancel" : "requeue");
    unless(rights, "minRuntime", time(policy.minRuntime()), time(usual.minRuntime()));
    unless(rights, "preemptAfter", time(policy.preemptAfter()), time(usual.preemptAfter()));
    unless(rights, "preemptible", policy.preemptible(), usual.preemptible());
    unless(rights, "preemptWithin", within(policy), within(usual));
    return rights;
  }

  private static List<String> users(Policy policy) {
    return policy.exceedLimit().stream().map(UserId::name).sorted().toList();
  }

  private static String within(Policy policy) {
    return policy.preemptWithin() == PreemptWithin.NEVER ? "never" : "lower-priority";
  }

  private String queue(Queue queue) {
    Map<String, String> line = new LinkedHashMap<>();
    line.put("name", queue.id().name());
    line.put("profile", queue.profile().name());
    line.put("rank", Integer.toString(queue.rank()));
    unless(line, "overReservation", queue.overReservation() ? "allow" : "deny", "allow");
    if (!queue.open()) {
      unsaid.add("queue " + queue.id().name() + " is closed");
    }
    return inline(line);
  }

  /// The changes that a later catalog makes.
  private List<String> changes(Catalog before, Catalog after) {
    List<String> changes = new ArrayList<>();
    if (!after.pools().equals(before.pools()) || !after.profiles().equals(before.profiles())) {
      changes.add(
          "provision: {pools: %s, profiles: %s}"
              .formatted(
                  after.pools().stream().map(ScenarioText::pool).toList(),
                  after.profiles().stream().map(ScenarioText::profile).toList()));
    }
    for (TenantId tenant : tenants(after)) {
      if (!shares(after, tenant).equals(shares(before, tenant))) {
        changes.add(
            "set: {tenant: %s, shares: %s}".formatted(tenant.name(), shares(after, tenant)));
      }
    }
    for (Policy policy : after.policies()) {
      Policy known =
          before.policies().stream()
              .filter(each -> each.id().equals(policy.id()))
              .findFirst()
              .orElse(null);
      if (known == null) {
        unsaid.add("policy " + policy.id().name() + " is new");
      } else if (!known.equals(policy)) {
        Map<String, String> line = new LinkedHashMap<>();
        line.put("policy", policy.id().name());
        line.putAll(rights(policy, known));
        changes.add("set: " + inline(line));
      }
    }
    if (!after.queues().equals(before.queues())) {
      unsaid.add("other queues: " + after.queues());
    }
    return changes;
  }

  private static String node(Node node) {
    Map<String, String> line = new LinkedHashMap<>();
    line.put("name", node.id().name());
    line.put("pool", node.pool().name());
    line.put("gpus", Integer.toString(node.devices().size()));
    if (!node.devices().isEmpty()) {
      Device device = node.devices().getFirst();
      line.put("gpuModel", device.model());
      line.put("gpuMemory", gibibytes(device.memoryBytes()));
      if (device.geometry() instanceof Geometry.Sliced) {
        line.put("geometry", device.geometry().equals(Geometry.Sliced.MIG) ? "mig" : "amd");
      }
      if (device.isolation() != Isolation.NONE) {
        line.put("isolation", keyword(device.isolation()));
      }
    }
    line.put("cpus", cpus(node.cpuMillis()));
    line.put("memory", gibibytes(node.memoryBytes()));
    return inline(line);
  }

  private String job(JobSpec spec) {
    Map<String, String> line = new LinkedHashMap<>();
    line.put("queue", spec.queue().name());
    line.put("job", "j" + spec.id().value());
    line.put("user", spec.user().name());
    unless(line, "priority", spec.priority(), 0);
    spec.preemptible().ifPresent(value -> line.put("preemptible", value.toString()));
    spec.maxRuntime().ifPresent(value -> line.put("maxRuntime", time(value)));
    history
        .obedience()
        .map(obedience -> obedience.durations().get(spec.id()))
        .ifPresent(duration -> line.put("duration", time(duration)));
    return inline(line);
  }

  private static void unless(Map<String, String> line, String key, Object value, Object usual) {
    if (!value.equals(usual)) {
      line.put(key, value.toString());
    }
  }

  private static String inline(Map<String, String> line) {
    List<String> entries = new ArrayList<>();
    line.forEach((key, value) -> entries.add(key + ": " + value));
    return "{" + String.join(", ", entries) + "}";
  }

  private static String keyword(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String time(Duration duration) {
    return duration.toSeconds() % 60 == 0 && !duration.isZero()
        ? duration.toMinutes() + "m"
        : duration.toSeconds() + "s";
  }

  private static String gibibytes(long bytes) {
    return (bytes >> 30) + "GiB";
  }

  private static String cpus(long millis) {
    return millis % 1000 == 0 ? Long.toString(millis / 1000) : millis / 1000.0 + "";
  }
}
