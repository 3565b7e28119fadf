package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.catalog.TenantId;
import java.util.Optional;

/// Names a job as its users do: unique in the tenant for as long as the job is kept. An element of
/// an array has the array's id, a dot and its number.
public record JobName(TenantId tenant, String id) {
  /// An element of the array of this name.
  public JobName element(int number) {
    return new JobName(tenant, id + "." + number);
  }

  /// The array that the name of an element names; empty: no element has such a name.
  public Optional<JobName> array() {
    return number() == 0
        ? Optional.empty()
        : Optional.of(new JobName(tenant, id.substring(0, id.lastIndexOf('.'))));
  }

  /// The number that the name of an element names; 0: no element has such a name.
  public int number() {
    String digits = id.substring(id.lastIndexOf('.') + 1);
    boolean isNumber =
        digits.length() < id.length()
            && !digits.isEmpty()
            && digits.length() <= 6
            && digits.charAt(0) != '0'
            && digits.chars().allMatch(c -> c >= '0' && c <= '9');
    return isNumber ? Integer.parseInt(digits) : 0;
  }

  @Override
  public String toString() {
    return "tenants/" + tenant + "/jobs/" + id;
  }
}
