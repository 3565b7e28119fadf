package io.headgate.sdk.wire;

/// Builds and splits names of resources: `tenants/acme/jobs/train-7`.
public final class ResourceNames {
  private ResourceNames() {}

  public static String tenant(String tenant) {
    return "tenants/" + tenant;
  }

  public static String of(String tenant, String collection, String id) {
    return tenant(tenant) + "/" + collection + "/" + id;
  }

  /// The last part of a name.
  public static String id(String name) {
    return name.substring(name.lastIndexOf('/') + 1);
  }

  /// The tenant of a resource; empty when it is in none.
  public static String tenantOf(String name) {
    if (!name.startsWith("tenants/")) {
      return "";
    }
    int end = name.indexOf('/', "tenants/".length());
    return name.substring("tenants/".length(), end < 0 ? name.length() : end);
  }
}
