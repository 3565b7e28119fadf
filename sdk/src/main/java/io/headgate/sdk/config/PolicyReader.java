package io.headgate.sdk.config;

import io.headgate.sdk.config.Policy.Queue;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads the `policies` section, with the queues in it.
final class PolicyReader {

  private final SectionNames sections;
  private final Map<String, Group> groups = new HashMap<>();
  private final Map<String, Profile> profiles = new HashMap<>();
  private final List<Department> departments;

  PolicyReader(
      SectionNames sections,
      List<Group> groups,
      List<Profile> profiles,
      List<Department> departments) {
    this.sections = sections;
    this.departments = departments;
    groups.forEach(group -> this.groups.putIfAbsent(group.name(), group));
    profiles.forEach(profile -> this.profiles.putIfAbsent(profile.name(), profile));
  }

  List<Policy> read(MappingReader root) {
    List<Policy> policies = new ArrayList<>();
    List<String> keys =
        (sections.isScenario() ? ScenarioKeys.POLICIES : PolicyKeys.POLICIES).names();
    for (MappingReader fields : root.items("policies", keys)) {
      policies.add(policy(fields));
    }
    return policies;
  }

  private Policy policy(MappingReader fields) {
    ValueReader values = new ValueReader(fields);
    String name = values.id("name", "give the policy a name");
    sections.policies().claim(fields, name);
    String group = group(values, name);
    String department = values.referenceOrNull("department", sections.departments());
    String tenant =
        sections.isScenario() ? values.referenceOrNull("tenant", sections.tenants()) : null;
    DepartmentReader.checkTenant(fields, departments, department, tenant);
    GpuQuantity limit = values.quantity("limit", "say how many GPUs may be in use at most");
    GpuQuantity reservation = values.quantityOrNull("reservation");
    if (reservation == null) {
      reservation = GpuQuantity.ZERO;
    }
    checkReservation(fields, reservation, limit);
    return new Policy(
        name,
        group,
        department,
        reservation,
        limit,
        values.integer(PolicyKeys.WEIGHT),
        values.quantityOrNull("perUserLimit"),
        exceedLimit(fields, values, group),
        values.keyword(PolicyKeys.ON_PREEMPT),
        values.duration(PolicyKeys.MIN_RUNTIME),
        values.flag(PolicyKeys.PREEMPTIBLE),
        values.keyword(PolicyKeys.PREEMPT_WITHIN),
        stopAfter(fields, values),
        values.duration(PolicyKeys.PREEMPT_AFTER),
        grace(fields),
        BudgetReader.read(fields),
        values.textOrNull(FileKey.DESCRIPTION),
        queues(fields, limit),
        tenant);
  }

  private String group(ValueReader values, String policy) {
    if (!sections.areGroupsOpen()) {
      return values.reference("group", sections.groups(), "name the group it is for");
    }
    String group = values.idOrNull("group");
    return group == null ? policy : group;
  }

  private static @Nullable Duration stopAfter(MappingReader fields, ValueReader values) {
    YamlTree.Scalar scalar = fields.scalar("stopAfter");
    return scalar != null && scalar.text().equals("never")
        ? null
        : values.duration(PolicyKeys.STOP_AFTER);
  }

  private static Policy.Grace grace(MappingReader fields) {
    MappingReader grace = fields.nested("grace", PolicyKeys.GRACE.names());
    if (grace == null) {
      return Policy.Grace.NONE;
    }
    ValueReader values = new ValueReader(grace);
    return new Policy.Grace(
        values.durationOrNull(PolicyKeys.CALLBACK), values.durationOrNull(PolicyKeys.TERMINATE));
  }

  static void checkReservation(MappingReader fields, GpuQuantity reservation, GpuQuantity limit) {
    YamlTree.Scalar scalar = fields.scalar("reservation");
    YamlTree.Scalar limitScalar = fields.scalar("limit");
    if (scalar == null
        || limitScalar == null
        || reservation.compareTo(limit) <= 0
        || !fields.problems().clean(fields.path("reservation"), fields.path("limit"))) {
      return;
    }
    fields
        .problems()
        .add(
            Problem.of(
                    "RESERVATION_ABOVE_LIMIT",
                    "reservation is above the limit",
                    scalar.span(),
                    fields.path("reservation"))
                .value(scalar.text())
                .note(
                    "%s > limit %s (%s:%d)"
                        .formatted(
                            reservation,
                            limit,
                            fields.problems().fileName(),
                            limitScalar.span().line()))
                .next("lower the reservation to " + limit + ", or raise the limit")
                .metadata(Map.of("limit", limit.toString())));
  }

  private List<String> exceedLimit(MappingReader fields, ValueReader values, String groupName) {
    List<String> users = values.ids("exceedLimit");
    Group group = groups.get(groupName);
    if (group == null) {
      return users;
    }
    for (MappingReader.Element element : fields.elements("exceedLimit")) {
      YamlTree.Scalar scalar = element.scalar();
      String field = element.field();
      if (!group.users().contains(scalar.text()) && fields.problems().clean(field)) {
        fields
            .problems()
            .add(
                Problem.of(
                        "USER_NOT_FOUND",
                        "\"" + scalar.text() + "\" is not a user of group " + groupName,
                        scalar.span(),
                        field)
                    .value(scalar.text())
                    .note("not in the group")
                    .next("add the user to the group, or remove it here"));
      }
    }
    return users;
  }

  private List<Queue> queues(MappingReader policy, GpuQuantity limit) {
    List<Queue> queues = new ArrayList<>();
    Map<String, String> byProfile = new HashMap<>();
    for (MappingReader fields : policy.items("queues", PolicyKeys.QUEUES.names())) {
      ValueReader values = new ValueReader(fields);
      String name = values.id("name", "give the queue a name");
      sections.queues().claim(fields, name);
      String profile = values.reference("profile", sections.profiles(), "name its profile");
      checkOncePerProfile(fields, byProfile.putIfAbsent(profile, name), profile);
      checkFits(policy, fields, profile, limit);
      queues.add(
          new Queue(
              name,
              profile,
              values.integer(PolicyKeys.RANK),
              values.keyword(PolicyKeys.OVER_RESERVATION)));
    }
    return queues;
  }

  private static void checkOncePerProfile(
      MappingReader fields, @Nullable String other, String profile) {
    YamlTree.Scalar scalar = fields.scalar("profile");
    if (other == null || scalar == null || profile.equals(ValueReader.UNREADABLE)) {
      return;
    }
    fields
        .problems()
        .add(
            Problem.of(
                    "PROFILE_CONNECTED_TWICE",
                    "profile \"" + profile + "\" is connected twice to one policy",
                    scalar.span(),
                    fields.path("profile"))
                .value(profile)
                .note("queue " + other + " has it already")
                .next("remove one of the two queues"));
  }

  private void checkFits(
      MappingReader policy, MappingReader fields, String profileName, GpuQuantity limit) {
    Profile profile = profiles.get(profileName);
    YamlTree.Scalar scalar = fields.scalar("profile");
    String declared = "profiles[" + profileName + "]";
    if (profile == null
        || scalar == null
        || profile.need().compareTo(limit) <= 0
        || !fields
            .problems()
            .clean(policy.path("limit"), declared + ".gpus", declared + ".workers")) {
      return;
    }
    fields
        .problems()
        .add(
            Problem.of(
                    "PROFILE_ABOVE_LIMIT",
                    "profile \"" + profileName + "\" needs more than the policy's limit",
                    scalar.span(),
                    fields.path("profile"))
                .value(profileName)
                .note("needs " + profile.need() + " > limit " + limit)
                .next("raise the limit to " + profile.need() + ", or connect a smaller profile")
                .metadata(Map.of("need", profile.need().toString(), "limit", limit.toString())));
  }
}
