package io.headgate.policy.core.access;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Groups, departments, policies, queues and vaults as text by field, for the audit log.
public final class AuditFields {
  private static final String NONE = "";
  private static final String ENVIRONMENT = "environment.";

  private AuditFields() {}

  /// Whether the value of the field may be a secret: its change may be recorded, its value may not.
  public static boolean isSecret(String field) {
    return field.startsWith(ENVIRONMENT);
  }

  public static Map<String, String> of(Group group) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("users", list(group.users()));
    fields.put("service_accounts", list(group.serviceAccounts()));
    fields.put("leads", list(group.leads()));
    return fields;
  }

  public static Map<String, String> of(Department department) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("department", text(department.parent()));
    fields.put("reservation", text(department.reservation()));
    fields.put("limit", text(department.limit()));
    fields.put("weight", Integer.toString(department.weight()));
    putBudget(fields, department.budget());
    return fields;
  }

  public static Map<String, String> of(Policy policy) {
    Rights rights = policy.rights();
    JobTerms terms = policy.terms();
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("group", policy.group().value());
    fields.put("department", text(policy.department()));
    fields.put("reservation", rights.reservation().toString());
    fields.put("limit", rights.limit().toString());
    fields.put("per_user_limit", text(rights.perUserLimit()));
    fields.put("weight", Integer.toString(rights.weight()));
    fields.put("exceed_limit", list(rights.exceedLimit()));
    fields.put("on_preempt", word(terms.onPreempt()));
    fields.put("min_runtime", terms.minRuntime().toString());
    fields.put("preemptible", Boolean.toString(terms.preemptible()));
    fields.put("preempt_within", word(terms.preemptWithin()));
    fields.put("stop_after", terms.stopAfter().map(Duration::toString).orElse("never"));
    fields.put("preempt_after", terms.preemptAfter().toString());
    fields.put("grace.callback", text(terms.grace().callback()));
    fields.put("grace.terminate", text(terms.grace().terminate()));
    putBudget(fields, policy.budget());
    fields.put("description", policy.description());
    return fields;
  }

  public static Map<String, String> of(Queue queue) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("policy", queue.policy().value());
    fields.put("profile", queue.profile().value());
    fields.put("rank", Integer.toString(queue.rank()));
    fields.put("over_reservation", queue.overReservation() ? "allow" : "deny");
    fields.put("paused", Boolean.toString(queue.paused()));
    return fields;
  }

  public static Map<String, String> of(Vault vault) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("groups", list(vault.groups()));
    fields.put("images", list(vault.rules().images()));
    fields.put("require_image", Boolean.toString(vault.rules().imageRequired()));
    fields.put("require_digest", Boolean.toString(vault.rules().digestRequired()));
    fields.put("commands", list(vault.rules().commands()));
    vault.environment().forEach((name, value) -> fields.put(ENVIRONMENT + name, value));
    vault.unreadable().forEach(name -> fields.put(ENVIRONMENT + name, "(unreadable)"));
    fields.put("description", vault.description());
    return fields;
  }

  public static Map<String, String> of(TenantPart part) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("pools", list(part.pools()));
    fields.put("reservation", part.reservation().toString());
    fields.put("limit", text(part.limit()));
    fields.put("weight", Integer.toString(part.weight()));
    return fields;
  }

  public static Map<String, String> of(Visibility visibility) {
    return Map.of("visibility", word(visibility));
  }

  /// The tenant's budget; empty if it has none.
  public static Map<String, String> of(Optional<Budget> budget) {
    Map<String, String> fields = new LinkedHashMap<>();
    putBudget(fields, budget);
    return fields;
  }

  private static void putBudget(Map<String, String> fields, Optional<Budget> budget) {
    budget.ifPresent(set -> {
      switch (set.amount()) {
        case Budget.Amount.GpuHours(var hours) ->
            fields.put("budget.gpu_hours", hours.toPlainString());
        case Budget.Amount.Cost(var cost, var currency) -> {
          fields.put("budget.cost", cost.toPlainString());
          fields.put("budget.currency", currency);
        }
      }
      fields.put("budget.per", word(set.per()));
      fields.put("budget.warn_at", Integer.toString(set.warnAt()));
      fields.put("budget.when_spent", word(set.whenSpent()));
    });
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String text(Optional<?> value) {
    return value.map(Object::toString).orElse(NONE);
  }

  private static String list(List<?> ids) {
    return String.join(",", ids.stream().map(Object::toString).toList());
  }
}
