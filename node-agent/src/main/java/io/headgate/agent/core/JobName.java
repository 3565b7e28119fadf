package io.headgate.agent.core;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Resource name of a job: `tenants/acme/jobs/train-5`.
public record JobName(String value) implements Comparable<JobName> {
  private static final String ID = "([a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)";
  private static final Pattern FORM = Pattern.compile("tenants/" + ID + "/jobs/" + ID);

  public JobName {
    if (!FORM.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "'" + value + "' is not the name of a job; it has the form tenants/acme/jobs/train-5");
    }
  }

  public String tenant() {
    return part(1);
  }

  public String id() {
    return part(2);
  }

  private String part(int group) {
    Matcher matcher = FORM.matcher(value);
    if (!matcher.matches()) {
      throw new IllegalStateException(value);
    }
    return matcher.group(group);
  }

  @Override
  public int compareTo(JobName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
