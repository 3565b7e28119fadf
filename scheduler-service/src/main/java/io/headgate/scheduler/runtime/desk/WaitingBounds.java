package io.headgate.scheduler.runtime.desk;

/// How many jobs may wait.
///
/// @param total of all tenants
/// @param perTenant of one tenant
/// @param perQueue of one queue
/// @param perUser that one user or service account has submitted
public record WaitingBounds(int total, int perTenant, int perQueue, int perUser) {
  /// A bound that is met: one more job may not wait.
  ///
  /// @param holder `queue 'rnd-3'`, `tenants/acme/users/ada`
  /// @param setting the bound's key in the configuration, below `bounds.waiting`
  public record Met(String holder, String setting, int waiting, int most) {}

  /// The same for each.
  public static WaitingBounds ofEach(int most) {
    return new WaitingBounds(most, most, most, most);
  }
}
