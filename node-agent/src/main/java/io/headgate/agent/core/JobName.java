package io.headgate.agent.core;

/// Resource name of a job: `tenants/acme/jobs/train-5`.
///
/// @param tenant id of its tenant
/// @param id its own; that of an array's element ends in a dot and its number: `sweep-1.7`
public record JobName(String tenant, String id) implements Comparable<JobName> {
  private static final String TENANTS = "tenants/";
  private static final String JOBS = "/jobs/";
  private static final int MAX_ID_LENGTH = 63;

  /// Digits in the number of an element.
  private static final int MAX_DIGITS = 6;

  public JobName {
    requireId(tenant);
    requireId(withoutNumber(id));
  }

  /// Reads the full name.
  public static JobName parse(String name) {
    int middle = name.indexOf(JOBS);
    if (!name.startsWith(TENANTS) || middle < 0) {
      throw new IllegalArgumentException(
          "'" + name + "' is not the name of a job; it has the form tenants/acme/jobs/train-5");
    }
    return new JobName(
        name.substring(TENANTS.length(), middle), name.substring(middle + JOBS.length()));
  }

  /// The id of the array, if the id has the form of an element's; else the id as it is.
  private static String withoutNumber(String id) {
    int dot = id.lastIndexOf('.');
    String number = id.substring(dot + 1);
    boolean isElement =
        dot >= 0
            && !number.isEmpty()
            && number.length() <= MAX_DIGITS
            && number.charAt(0) != '0'
            && number.chars().allMatch(c -> c >= '0' && c <= '9');
    return isElement ? id.substring(0, dot) : id;
  }

  /// Ids become names of files, so nothing but the form that the contract allows is let through.
  private static void requireId(String id) {
    boolean good = !id.isEmpty() && id.length() <= MAX_ID_LENGTH && isLetter(id.charAt(0));
    for (int i = 0; good && i < id.length(); i++) {
      char c = id.charAt(i);
      good = isLetter(c) || (c >= '0' && c <= '9') || (c == '-' && i < id.length() - 1);
    }
    if (!good) {
      throw new IllegalArgumentException(
          "'"
              + id
              + "' is not an id; it has 1 to 63 lower-case letters, digits and hyphens, begins with"
              + " a letter and does not end with a hyphen");
    }
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z';
  }

  @Override
  public int compareTo(JobName other) {
    int byTenant = tenant.compareTo(other.tenant);
    return byTenant != 0 ? byTenant : id.compareTo(other.id);
  }

  @Override
  public String toString() {
    return TENANTS + tenant + JOBS + id;
  }
}
