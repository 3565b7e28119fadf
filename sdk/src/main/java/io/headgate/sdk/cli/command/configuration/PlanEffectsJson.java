package io.headgate.sdk.cli.command.configuration;

import io.headgate.sdk.cli.output.PlaceText;
import io.headgate.sdk.model.PlanEffects;
import io.headgate.sdk.model.PlanEffects.Jobs;
import io.headgate.sdk.model.PlanEffects.PlannedJob;
import io.headgate.sdk.model.PlanEffects.PolicyOutlook;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A plan's effects as JSON. Times are in seconds; unknown values are absent. A total counts all
/// jobs, including jobs of other tenants, which are not named.
final class PlanEffectsJson {
  private PlanEffectsJson() {}

  static Map<String, Object> of(PlanEffects effects) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("starts", jobs(effects.starts()));
    json.put("preempts", jobs(effects.preempts()));
    json.put("waits", jobs(effects.waits()));
    json.put("drafts", jobs(effects.drafts()));
    json.put(
        "policies",
        effects.policies().stream()
            .map(policy -> {
              Map<String, Object> entry = new LinkedHashMap<>();
              entry.put("policy", policy.policy());
              outlook(entry, "before", policy.before());
              outlook(entry, "after", policy.after());
              return entry;
            })
            .toList());
    seconds(json, "knownAheadSeconds", effects.knownAhead());
    return json;
  }

  private static Map<String, Object> jobs(Jobs jobs) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("total", jobs.count());
    json.put("ofOtherTenants", jobs.ofOtherTenants());
    json.put("jobs", jobs.named().stream().map(PlanEffectsJson::job).toList());
    return json;
  }

  private static Map<String, Object> job(PlannedJob job) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("job", job.job());
    if (!job.pool().isEmpty()) {
      json.put("pool", job.pool());
      json.put("place", PlaceText.of(job.placements()));
    }
    if (job.preemption() != null) {
      json.put("by", job.preemption().byJob());
      json.put("rule", job.preemption().rule());
    }
    if (job.reason() != null) {
      json.put("reason", job.reason().code());
      json.put("message", job.reason().message());
      json.put("detail", new TreeMap<>(job.reason().detail()));
    }
    return json;
  }

  private static void outlook(
      Map<String, Object> json, String key, @Nullable PolicyOutlook outlook) {
    if (outlook == null) {
      return;
    }
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("usage", outlook.usage().toString());
    entry.put("reservation", outlook.reservation().toString());
    entry.put("limit", outlook.limit().toString());
    entry.put("waiting", outlook.waiting());
    seconds(entry, "waitP50Seconds", outlook.waitP50());
    seconds(entry, "waitP99Seconds", outlook.waitP99());
    json.put(key, entry);
  }

  private static void seconds(Map<String, Object> json, String key, @Nullable Duration time) {
    if (time != null) {
      BigDecimal seconds = BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros();
      json.put(key, seconds.scale() < 0 ? seconds.setScale(0) : seconds);
    }
  }
}
