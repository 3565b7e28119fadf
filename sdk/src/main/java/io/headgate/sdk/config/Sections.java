package io.headgate.sdk.config;

/// The names that the sections of one file declare.
record Sections(Names groups, Names pools, Names profiles, Names policies, Names queues) {
  static Sections of(Fields root) {
    return new Sections(
        Names.declaredIn(root, "groups", "group"),
        Names.declaredIn(root, "pools", "pool"),
        Names.declaredIn(root, "profiles", "profile"),
        Names.declaredIn(root, "policies", "policy"),
        new Names("queue"));
  }
}
