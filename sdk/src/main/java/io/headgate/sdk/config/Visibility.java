package io.headgate.sdk.config;

/// The visibility of the members' jobs to each other.
public enum Visibility implements Keyword {
  OWN,
  TENANT
}
