package io.headgate.policy.core.access;

import io.headgate.kit.decision.Problems;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessSpec.BudgetSpec;
import io.headgate.policy.core.access.AccessSpec.DepartmentSpec;
import io.headgate.policy.core.access.AccessSpec.GroupSpec;
import io.headgate.policy.core.access.AccessSpec.PolicySpec;
import io.headgate.policy.core.access.AccessSpec.QueueSpec;
import io.headgate.policy.core.access.AccessSpec.RightsSpec;
import io.headgate.policy.core.access.AccessSpec.TermsSpec;
import io.headgate.policy.core.name.DepartmentId;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.PolicyId;
import io.headgate.policy.core.name.ProfileId;
import io.headgate.policy.core.name.QueueId;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.UserId;
import io.headgate.type.GpuQuantity;
import io.headgate.type.InexactQuantityException;
import io.headgate.type.MalformedQuantityException;
import io.headgate.type.NameRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

/// Reads single groups, departments, policies and queues, and checks everything that does not
/// depend on others. Each empty result has added a problem.
final class SpecReader {
  private static final Duration LONGEST = Duration.ofDays(365);
  private static final Duration SHORTEST_STOP_AFTER = Duration.ofSeconds(1);
  private static final Duration SHORTEST_CALLBACK = Duration.ofMillis(1);

  private final Problems<Denial> problems;

  SpecReader(Problems<Denial> problems) {
    this.problems = problems;
  }

  /// Reads a list of named items; duplicate names are problems.
  ///
  /// @param list path of the list in the request
  <S, T> List<T> each(
      String list,
      Kind kind,
      List<S> specs,
      Function<S, String> id,
      BiFunction<String, S, Optional<T>> reader) {
    List<T> items = new ArrayList<>(specs.size());
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < specs.size(); i++) {
      String name = id.apply(specs.get(i));
      // An empty name cannot identify the item, so its position does.
      String path = path(list, name.isEmpty() ? Integer.toString(i) : name);
      if (!seen.add(name)) {
        problems.add(new Denial.Duplicate(path + ".name", kind, name));
      } else {
        reader.apply(path, specs.get(i)).ifPresent(items::add);
      }
    }
    return items;
  }

  /// The path of the item with this name.
  static String path(String list, String name) {
    return list + "[" + name + "]";
  }

  /// @param path of the group in the request
  Optional<Group> group(String path, GroupSpec spec) {
    Optional<GroupId> id = id(path + ".name", Kind.GROUP, spec.id(), GroupId::new);
    Optional<List<UserId>> users = ids(path + ".users", Kind.USER, spec.users(), UserId::new);
    Optional<List<ServiceAccountId>> accounts =
        ids(
            path + ".service_accounts",
            Kind.SERVICE_ACCOUNT,
            spec.serviceAccounts(),
            ServiceAccountId::new);
    Optional<List<UserId>> leads = ids(path + ".leads", Kind.USER, spec.leads(), UserId::new);
    if (id.isEmpty() || users.isEmpty() || accounts.isEmpty() || leads.isEmpty()) {
      return Optional.empty();
    }
    Set<UserId> members = Set.copyOf(users.get());
    for (int i = 0; i < leads.get().size(); i++) {
      UserId lead = leads.get().get(i);
      if (!members.contains(lead)) {
        problems.add(
            new Denial.LeadNotInGroup(path + ".leads[" + i + "]", lead.value(), spec.id()));
        return Optional.empty();
      }
    }
    return Optional.of(new Group(id.get(), users.get(), accounts.get(), leads.get()));
  }

  /// @param path of the department in the request
  Optional<Department> department(String path, DepartmentSpec spec) {
    Optional<DepartmentId> id = id(path + ".name", Kind.DEPARTMENT, spec.id(), DepartmentId::new);
    Optional<DepartmentId> parent = department(path, spec.parent());
    Optional<GpuQuantity> reservation = optional(path + ".reservation", spec.reservation());
    Optional<GpuQuantity> limit = optional(path + ".limit", spec.limit());
    Optional<Integer> weight = number(path + ".weight", spec.weight(), Rights.MAX_WEIGHT);
    Optional<Budget> budget = budget(path, spec.budget());
    boolean ordered = isWithinLimit(path, Kind.DEPARTMENT, spec.id(), reservation, limit);
    boolean read =
        reservation.isPresent() == !spec.reservation().isEmpty()
            && limit.isPresent() == !spec.limit().isEmpty()
            && parent.isPresent() == !spec.parent().isEmpty()
            && budget.isPresent() == spec.budget().isPresent();
    return id.isPresent() && weight.isPresent() && ordered && read
        ? Optional.of(new Department(id.get(), parent, reservation, limit, weight.get(), budget))
        : Optional.empty();
  }

  /// @param path of the policy in the request
  Optional<Policy> policy(String path, PolicySpec spec) {
    Optional<PolicyId> id = id(path + ".name", Kind.POLICY, spec.id(), PolicyId::new);
    Optional<GroupId> group = id(path + ".group", Kind.GROUP, spec.group(), GroupId::new);
    Optional<DepartmentId> department = department(path, spec.department());
    Optional<Rights> rights = rights(path, spec);
    Optional<JobTerms> terms = terms(path, spec.terms());
    Optional<Budget> budget = budget(path, spec.budget());
    if (id.isEmpty()
        || group.isEmpty()
        || (department.isEmpty() && !spec.department().isEmpty())
        || rights.isEmpty()
        || terms.isEmpty()
        || budget.isPresent() != spec.budget().isPresent()) {
      return Optional.empty();
    }
    return Optional.of(
        new Policy(
            id.get(),
            group.get(),
            department,
            rights.get(),
            terms.get(),
            budget,
            spec.description()));
  }

  private Optional<Budget> budget(String path, Optional<BudgetSpec> spec) {
    return spec.flatMap(wanted -> new BudgetReader(problems).read(path + ".budget", wanted));
  }

  private Optional<DepartmentId> department(String path, String department) {
    return department.isEmpty()
        ? Optional.empty()
        : id(path + ".department", Kind.DEPARTMENT, department, DepartmentId::new);
  }

  /// @param path of the queue in the request
  Optional<Queue> queue(String path, QueueSpec spec) {
    Optional<QueueId> id = id(path + ".name", Kind.QUEUE, spec.id(), QueueId::new);
    Optional<PolicyId> policy = id(path + ".policy", Kind.POLICY, spec.policy(), PolicyId::new);
    Optional<ProfileId> profile =
        id(path + ".profile", Kind.PROFILE, spec.profile(), ProfileId::new);
    Optional<Integer> rank = number(path + ".rank", spec.rank(), Queue.MAX_RANK);
    if (id.isEmpty() || policy.isEmpty() || profile.isEmpty() || rank.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Queue(
            id.get(),
            policy.get(),
            profile.get(),
            rank.get(),
            spec.overReservation(),
            spec.paused()));
  }

  private Optional<Rights> rights(String path, PolicySpec policy) {
    RightsSpec spec = policy.rights();
    Optional<GpuQuantity> reservation =
        spec.reservation().isEmpty()
            ? Optional.of(GpuQuantity.ZERO)
            : quantity(path + ".reservation", spec.reservation());
    Optional<GpuQuantity> limit = quantity(path + ".limit", spec.limit());
    boolean unlimited = spec.perUserLimit().isEmpty();
    Optional<GpuQuantity> perUser =
        unlimited ? Optional.empty() : quantity(path + ".per_user_limit", spec.perUserLimit());
    Optional<Integer> weight = number(path + ".weight", spec.weight(), Rights.MAX_WEIGHT);
    Optional<List<UserId>> exceed =
        ids(path + ".exceed_limit", Kind.USER, spec.exceedLimit(), UserId::new);
    if (!isWithinLimit(path, Kind.POLICY, policy.id(), reservation, limit)
        || reservation.isEmpty()
        || limit.isEmpty()
        || (perUser.isEmpty() && !unlimited)
        || weight.isEmpty()
        || exceed.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Rights(reservation.get(), limit.get(), perUser, weight.get(), exceed.get()));
  }

  boolean isWithinLimit(
      String path,
      Kind kind,
      String id,
      Optional<GpuQuantity> reservation,
      Optional<GpuQuantity> limit) {
    if (reservation.isPresent()
        && limit.isPresent()
        && reservation.get().compareTo(limit.get()) > 0) {
      problems.add(
          new Denial.ReservationAboveLimit(
              path + ".reservation", kind, id, reservation.get(), limit.get()));
      return false;
    }
    return true;
  }

  private Optional<JobTerms> terms(String path, TermsSpec spec) {
    boolean good = true;
    Duration minRuntime = spec.minRuntime().orElse(Duration.ZERO);
    good &= isWithin(path + ".min_runtime", minRuntime, Duration.ZERO, LONGEST);
    Duration preemptAfter = spec.preemptAfter().orElse(Duration.ZERO);
    good &= isWithin(path + ".preempt_after", preemptAfter, Duration.ZERO, LONGEST);
    good &= isWithin(path, spec.grace());
    Optional<Duration> stopAfter =
        spec.stopAfterNever()
            ? Optional.empty()
            : Optional.of(spec.stopAfter().orElse(JobTerms.DEFAULT_STOP_AFTER));
    if (stopAfter.isPresent()) {
      good &= isWithin(path + ".stop_after", stopAfter.get(), SHORTEST_STOP_AFTER, LONGEST);
    }
    if (spec.stopAfterNever() && spec.stopAfter().isPresent()) {
      problems.add(
          new Denial.Contradiction(
              path + ".stop_after", "stop_after_never says for ever: leave one of the two out"));
      good = false;
    }
    return good
        ? Optional.of(
            new JobTerms(
                spec.onPreempt(),
                minRuntime,
                spec.preemptible(),
                spec.preemptWithin(),
                stopAfter,
                preemptAfter,
                spec.grace()))
        : Optional.empty();
  }

  private boolean isWithin(String path, Grace grace) {
    boolean callback =
        grace.callback().isEmpty()
            || isWithin(
                path + ".grace.callback",
                grace.callback().get(),
                SHORTEST_CALLBACK,
                Grace.LONGEST_CALLBACK);
    boolean terminate =
        grace.terminate().isEmpty()
            || isWithin(
                path + ".grace.terminate",
                grace.terminate().get(),
                Duration.ZERO,
                Grace.LONGEST_TERMINATE);
    return callback && terminate;
  }

  private boolean isWithin(String field, Duration duration, Duration shortest, Duration longest) {
    // Durations are stored in milliseconds; a finer value would be stored rounded.
    boolean good =
        duration.compareTo(shortest) >= 0
            && duration.compareTo(longest) <= 0
            && duration.toNanosPart() % 1_000_000 == 0;
    if (!good) {
      problems.add(
          new Denial.OutOfRange(
              field,
              duration.toString(),
              words(shortest),
              words(longest) + " in whole milliseconds"));
    }
    return good;
  }

  private static String words(Duration bound) {
    if (bound.toDays() > 0) {
      return bound.toDays() + "d";
    }
    return bound.toMillisPart() > 0 ? bound.toMillis() + "ms" : bound.toSeconds() + "s";
  }

  Optional<Integer> number(String field, int value, int max) {
    int meant = value == 0 ? 1 : value;
    if (meant < 1 || meant > max) {
      problems.add(
          new Denial.OutOfRange(field, Integer.toString(value), "1", Integer.toString(max)));
      return Optional.empty();
    }
    return Optional.of(meant);
  }

  Optional<GpuQuantity> optional(String field, String text) {
    return text.isEmpty() ? Optional.empty() : quantity(field, text);
  }

  Optional<GpuQuantity> quantity(String field, String text) {
    try {
      return Optional.of(GpuQuantity.parse(text));
    } catch (InexactQuantityException e) {
      problems.add(new Denial.InexactQuantity(field, text, e.below(), e.above()));
    } catch (MalformedQuantityException _) {
      problems.add(new Denial.MalformedQuantity(field, text));
    }
    return Optional.empty();
  }

  <T> Optional<T> id(String field, Kind kind, String value, Function<String, T> id) {
    if (!NameRule.isValid(value)) {
      problems.add(new Denial.InvalidName(field, kind, value));
      return Optional.empty();
    }
    return Optional.of(id.apply(value));
  }

  <T> Optional<List<T>> ids(
      String field, Kind kind, List<String> values, Function<String, T> toId) {
    List<T> ids = new ArrayList<>(values.size());
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < values.size(); i++) {
      String path = field + "[" + i + "]";
      if (!seen.add(values.get(i))) {
        problems.add(new Denial.Duplicate(path, kind, values.get(i)));
      } else {
        id(path, kind, values.get(i), toId).ifPresent(ids::add);
      }
    }
    return ids.size() == values.size() ? Optional.of(ids) : Optional.empty();
  }
}
