package io.headgate.sdk.config;

/// The names that the sections of one file declare.
///
/// @param isScenario whether groups may be left out, and there may be tenants
/// @param areGroupsOpen whether the file may leave groups out, and does
record Sections(
    boolean isScenario,
    boolean areGroupsOpen,
    Names groups,
    Names pools,
    Names profiles,
    Names policies,
    Names queues,
    Names vaults,
    Names tenants) {
  static Sections of(Fields root, boolean isScenario) {
    return new Sections(
        isScenario,
        isScenario && root.value("groups") == null,
        Names.declaredIn(root, "groups", "group"),
        Names.declaredIn(root, "pools", "pool"),
        Names.declaredIn(root, "profiles", "profile"),
        Names.declaredIn(root, "policies", "policy"),
        new Names("queue"),
        new Names("vault"),
        Names.declaredIn(root, "tenants", "tenant"));
  }
}
