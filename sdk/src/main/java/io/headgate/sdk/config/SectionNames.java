package io.headgate.sdk.config;

/// The names that the sections of one file declare.
///
/// @param isScenario whether groups may be left out, and there may be tenants
/// @param areGroupsOpen whether the file may leave groups out, and does
record SectionNames(
    boolean isScenario,
    boolean areGroupsOpen,
    DeclaredNames groups,
    DeclaredNames pools,
    DeclaredNames profiles,
    DeclaredNames departments,
    DeclaredNames policies,
    DeclaredNames queues,
    DeclaredNames vaults,
    DeclaredNames tenants) {
  static SectionNames of(MappingReader root, boolean isScenario) {
    return new SectionNames(
        isScenario,
        isScenario && root.value("groups") == null,
        DeclaredNames.declaredIn(root, "groups", "group"),
        DeclaredNames.declaredIn(root, "pools", "pool"),
        DeclaredNames.declaredIn(root, "profiles", "profile"),
        DeclaredNames.declaredIn(root, "departments", "department"),
        DeclaredNames.declaredIn(root, "policies", "policy"),
        new DeclaredNames("queue"),
        new DeclaredNames("vault"),
        DeclaredNames.declaredIn(root, "tenants", "tenant"));
  }
}
