package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.ACME;

import io.headgate.scheduler.core.catalog.Elasticity;
import io.headgate.scheduler.core.catalog.Instance;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A scheduler and its history, in sentences divided by `;`. Agents start assignments at once; an
/// attempt that was told to stop ends at `settle`.
///
/// The world (a sentence about a known name changes it):
///
/// | sentence | meaning |
/// |---|---|
/// | `pool p capacity 4 for dev elastic 1 consolidates order 2 1` | a pool: dedicated; of instances of 8 GPUs; moving jobs (P11); last, sizes by execution priority; also `half-life 10m`, `promote-after 10m` |
/// | `node n 4 in p cpus 8 draining` | a machine of 4 GPUs; without `in`: in the first pool |
/// | `size 1/2 x2 on p q strict` | a profile, here of two workers; also `by-rank`, `fairly` (P10), `cpus N`, `memory N` (GiB; nodes have 1024), `hardware`, `model M`, `hold-after 5m` |
/// | `dev 2/4 weight 3` | a policy: reservation and limit; also `user-limit N`, `exceeds USER`, `cancels`, `min-runtime 5m`, `preempt-after 5m`, `fixed` (non-preemptible), `within` (P9), `in DEPARTMENT`, `of TENANT` |
/// | `queue dev.1/2 rank 2 deny closed gone` | each policy has a queue for each size; this changes one |
/// | `department eng 4/8 weight 2 under all` | a department (A3); `/` without reservation and limit |
/// | `share red 2/4 weight 3` | a tenant's share of the first pool (A3); `2/` without limit |
///
/// The history:
///
/// | sentence | meaning |
/// |---|---|
/// | `dev: a b*2 c*1/2@bob^5~30m! d+` | jobs in one batch, of 1 GPU or the size after `*`; user, priority, maxRuntime, non-preemptible; movable |
/// | `10m` | time passes |
/// | `a ends`, `a cancelled`, `a requeued`, `a withdrawn`, `a saves` | a job; `saves`: a checkpoint |
/// | `n leaves`, `settle` | a machine is gone; stopping attempts end, until nothing moves |
///
/// The outcome: `a runs`, `a runs on n:0`, `a stops`, `a stops for b by P1`, `a waits LIMIT` (the
/// code of its reason), `a is DONE` (any other state), `a refused AboveLimit`.
final class RuleStory {
  private final TenantBuilder tenant = new TenantBuilder();
  private final Set<String> pools = new LinkedHashSet<>();

  /// Sizes with their pools; without names, all pools.
  private final Map<String, List<String>> sizes = new LinkedHashMap<>();

  private final Set<String> policies = new LinkedHashSet<>();
  private final Set<String> queues = new LinkedHashSet<>();
  private final List<String> refused = new ArrayList<>();
  private final Driver it;

  /// @param there what there is
  RuleStory(String there) {
    List<Node> nodes = new ArrayList<>();
    for (String sentence : sentences(there)) {
      Iterator<String> words = words(sentence);
      String first = words.next();
      if (first.equals("node")) {
        nodes.add(node(words));
      } else {
        describe(first, words);
      }
    }
    it = new Driver(tenant);
    if (!nodes.isEmpty()) {
      it.join(nodes.toArray(Node[]::new));
    }
  }

  private static List<String> sentences(String text) {
    return Arrays.stream(text.split(";")).map(String::strip).filter(s -> !s.isEmpty()).toList();
  }

  private static Iterator<String> words(String sentence) {
    return Arrays.asList(sentence.split("\\s+")).iterator();
  }

  // --- What there is.

  private void describe(String first, Iterator<String> words) {
    switch (first) {
      case "pool" -> pool(words);
      case "size" -> size(words);
      case "queue" -> queue(words.next(), words);
      case "share" -> share(words);
      case "department" -> department(words);
      default -> policy(first, words);
    }
    sizes.forEach((size, said) -> {
      List<PoolId> on =
          (said.isEmpty() ? pools : said).stream().map(TenantBuilder::poolId).toList();
      tenant.changeProfile(size, p -> p.with().pools(on).build());
    });
    for (String policy : policies) {
      for (String size : sizes.keySet()) {
        if (queues.add(policy + "." + size)) {
          tenant.queue(policy + "." + size, policy, size, 1);
        }
      }
    }
  }

  private void pool(Iterator<String> words) {
    String name = words.next();
    List<String> order = new ArrayList<>();
    pools.add(name);
    tenant.pool(name);
    while (words.hasNext()) {
      String word = words.next();
      switch (word) {
        case "capacity" -> tenant.poolCapacity(name, words.next());
        case "for" -> tenant.dedicated(name, words.next());
        case "elastic" -> {
          int most = Integer.parseInt(words.next());
          tenant.changePool(name, p -> p.with().elasticity(Optional.of(eights(most))).build());
        }
        case "consolidates" -> tenant.changePool(name, p -> p.with().consolidate(true).build());
        case "promote-after" -> {
          Duration after = duration(words.next());
          tenant.changePool(name, p -> p.with().promoteAfter(Optional.of(after)).build());
        }
        case "half-life" -> {
          Duration halfLife = duration(words.next());
          tenant.changePool(name, p -> p.with().halfLife(Optional.of(halfLife)).build());
        }
        case "order" -> words.forEachRemaining(order::add);
        default -> throw new IllegalArgumentException("pool … " + word);
      }
    }
    tenant.changePool(
        name, p -> p.with().order(order.stream().map(TenantBuilder::profileId).toList()).build());
  }

  private static Elasticity eights(int most) {
    return new Elasticity(
        new Instance(8, "H100", 80 * Driver.GIB, Isolation.DRIVER_CONTAINER, 96_000, 1L << 40),
        0,
        most,
        Duration.ofMinutes(15));
  }

  private static Node node(Iterator<String> words) {
    String name = words.next();
    int gpus = Integer.parseInt(words.next());
    String pool = "p";
    long cpuMillis = 1_000_000;
    NodeStatus status = NodeStatus.READY;
    while (words.hasNext()) {
      String word = words.next();
      switch (word) {
        case "in" -> pool = words.next();
        case "cpus" -> cpuMillis = 1000L * Integer.parseInt(words.next());
        case "draining" -> status = NodeStatus.DRAINING;
        case "suspect" -> status = NodeStatus.SUSPECT;
        default -> throw new IllegalArgumentException("node … " + word);
      }
    }
    return Driver.node(name, pool, gpus, cpuMillis, status);
  }

  private void size(Iterator<String> words) {
    String gpus = words.next();
    List<String> routes = new ArrayList<>();
    int workers = 1;
    long cpuMillis = 0;
    List<String> rest = new ArrayList<>();
    while (words.hasNext()) {
      String word = words.next();
      if (word.startsWith("x")) {
        workers = Integer.parseInt(word.substring(1));
      } else if (word.equals("cpus")) {
        cpuMillis = 1000L * Integer.parseInt(words.next());
      } else if (pools.contains(word)) {
        routes.add(word);
      } else {
        rest.add(word);
      }
    }
    sizes.put(gpus, routes);
    tenant.profile(gpus, gpus, workers, cpuMillis);
    for (Iterator<String> more = rest.iterator(); more.hasNext(); ) {
      String word = more.next();
      switch (word) {
        case "on" -> {}
        case "strict" -> tenant.strict(gpus);
        case "fairly" -> tenant.changeProfile(gpus, p -> p.with().reclaim(Reclaim.FAIR).build());
        case "by-rank" -> tenant.changeProfile(gpus, p -> p.with().reclaim(Reclaim.RANK).build());
        case "memory" -> {
          long bytes = Driver.GIB * Integer.parseInt(more.next());
          tenant.changeProfile(gpus, p -> p.with().memoryBytes(bytes).build());
        }
        case "hardware" ->
            tenant.changeProfile(gpus, p -> p.with().isolation(Isolation.HARDWARE).build());
        case "model" -> {
          String model = more.next();
          tenant.changeProfile(gpus, p -> p.with().gpuModels(Set.of(model)).build());
        }
        case "hold-after" -> {
          Duration after = duration(more.next());
          tenant.changeProfile(gpus, p -> p.with().holdAfter(after).build());
        }
        default -> throw new IllegalArgumentException("size … " + word);
      }
    }
  }

  private void policy(String name, Iterator<String> words) {
    String[] rights = words.next().split("/");
    policies.add(name);
    tenant.policy(name, rights[0], rights[1]);
    while (words.hasNext()) {
      String word = words.next();
      switch (word) {
        case "weight" -> tenant.weight(name, Integer.parseInt(words.next()));
        case "user-limit" -> tenant.perUser(name, words.next());
        case "exceeds" -> {
          UserId user = new UserId(words.next());
          tenant.changePolicy(name, p -> p.with().exceedLimit(Set.of(user)).build());
        }
        case "cancels" -> tenant.cancels(name);
        case "min-runtime" -> tenant.minRuntime(name, duration(words.next()));
        case "preempt-after" -> {
          Duration after = duration(words.next());
          tenant.changePolicy(name, p -> p.with().preemptAfter(after).build());
        }
        case "fixed" -> tenant.nonPreemptible(name);
        case "within" ->
            tenant.changePolicy(
                name, p -> p.with().preemptWithin(PreemptWithin.LOWER_PRIORITY).build());
        case "in" -> tenant.in(words.next(), name);
        case "of" -> tenant.policyOf(words.next(), name, rights[0], rights[1]);
        default -> throw new IllegalArgumentException("policy … " + word);
      }
    }
  }

  private void queue(String name, Iterator<String> words) {
    while (words.hasNext()) {
      String word = words.next();
      switch (word) {
        case "rank" -> {
          int dot = name.indexOf('.');
          int rank = Integer.parseInt(words.next());
          tenant.queue(name, name.substring(0, dot), name.substring(dot + 1), rank);
        }
        case "deny" -> tenant.entitledOnly(name);
        case "closed" -> tenant.closed(name);
        case "gone" -> tenant.withoutQueue(name);
        default -> throw new IllegalArgumentException("queue … " + word);
      }
    }
  }

  private void department(Iterator<String> words) {
    String name = words.next();
    String[] rights = words.next().split("/", -1);
    int weight = 1;
    String parent = "";
    while (words.hasNext()) {
      switch (words.next()) {
        case "weight" -> weight = Integer.parseInt(words.next());
        case "under" -> parent = words.next();
        default -> throw new IllegalArgumentException("department " + name);
      }
    }
    tenant.department(name, rights[0], rights[1], weight, parent);
  }

  private void share(Iterator<String> words) {
    String of = words.next();
    String[] rights = words.next().split("/", -1);
    int weight = words.hasNext() && !words.next().isEmpty() ? Integer.parseInt(words.next()) : 1;
    tenant.share(of, pools.iterator().next(), rights[0], rights[1], weight);
  }

  // --- What happens.

  /// Lets it happen, sentence by sentence.
  void tell(String happens) {
    for (String sentence : sentences(happens)) {
      if (sentence.contains(":") && !sentence.startsWith("node")) {
        submit(sentence);
      } else {
        happen(sentence);
      }
      it.run();
    }
  }

  private void submit(String sentence) {
    String policy = sentence.substring(0, sentence.indexOf(':'));
    List<Input> inputs = new ArrayList<>();
    List<String> names = new ArrayList<>();
    words(sentence.substring(sentence.indexOf(':') + 1).strip())
        .forEachRemaining(word -> {
          JobSpec job = job(policy, word);
          names.add(it.name(job.id()));
          inputs.add(new Input.JobSubmitted(job));
        });
    int known = it.refusals.size();
    it.decide(inputs);
    for (Decision.Refusal refusal : it.refusals.subList(known, it.refusals.size())) {
      String denial = refusal.denial().getClass().getSimpleName();
      refused.add(names.get(refusal.input()) + " refused " + denial);
    }
  }

  /// `c*1/2@bob^5~30m!`, or with `+` for `!`.
  private JobSpec job(String policy, String word) {
    boolean fixed = word.endsWith("!");
    boolean movable = word.endsWith("+");
    String rest = fixed || movable ? word.substring(0, word.length() - 1) : word;
    String[] runtime = rest.split("~");
    String[] priority = runtime[0].split("\\^");
    String[] user = priority[0].split("@");
    String[] size = user[0].split("\\*");
    JobSpec plain =
        it.spec(
            size[0],
            policy + "." + (size.length > 1 ? size[1] : "1"),
            user.length > 1 ? user[1] : "alice",
            priority.length > 1 ? Integer.parseInt(priority[1]) : 0,
            fixed ? Optional.of(false) : Optional.empty());
    return plain
        .with()
        .maxRuntime(runtime.length > 1 ? Optional.of(duration(runtime[1])) : Optional.empty())
        .movable(movable)
        .build();
  }

  private static Duration duration(String text) {
    return Duration.parse("PT" + text);
  }

  private void happen(String sentence) {
    Iterator<String> words = words(sentence);
    String first = words.next();
    String second = words.hasNext() ? words.next() : "";
    switch (second) {
      case "ends" -> it.exit(first, 0);
      case "cancelled" -> it.cancel(first);
      case "requeued" -> it.requeue(first);
      case "withdrawn" -> it.withdraw(first);
      case "saves" -> it.decide(new Input.AttemptCheckpointed(it.attemptId(first), it.now));
      case "leaves" -> it.decide(new Input.NodeRemoved(new NodeId(ACME, first)));
      case "" -> {
        if (first.equals("settle")) {
          it.settle();
        } else {
          it.after(duration(first)).pass();
        }
      }
      default -> {
        Iterator<String> again = words(sentence);
        String kind = again.next();
        if (kind.equals("node")) {
          it.join(node(again));
        } else {
          describe(kind, again);
          it.provision(tenant);
        }
      }
    }
  }

  // --- What comes of it.

  /// The actual outcome of the jobs in the expected text, in the same form.
  String outcome(String expected) {
    List<String> found = new ArrayList<>();
    for (String sentence : sentences(expected)) {
      found.add(outcomeOf(sentence.substring(0, sentence.indexOf(' ')), sentence));
    }
    return String.join("; ", found);
  }

  private String outcomeOf(String job, String expected) {
    for (String each : refused) {
      if (each.startsWith(job + " ")) {
        return each;
      }
    }
    Optional<Attempt> attempt = it.core.attempt(it.id(job));
    if (attempt.isPresent() && attempt.get().stop().isPresent()) {
      boolean says = expected.contains(" for ");
      return job
          + " stops"
          + (says && attempt.get().stop().get().cause() instanceof StopCause.Preempted cause
              ? " for " + it.name(cause.by()) + " by " + cause.rule()
              : "");
    }
    if (attempt.isPresent()) {
      return job + " runs" + (expected.contains(" on ") ? " on " + it.place(job) : "");
    }
    JobState state = it.state(job);
    return state == JobState.WAITING
        ? job + " waits " + it.reason(job).code()
        : job + " is " + state;
  }
}
