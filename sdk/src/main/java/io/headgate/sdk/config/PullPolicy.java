package io.headgate.sdk.config;

/// When an image is fetched from its registry.
public enum PullPolicy implements Keyword {
  ALWAYS,
  IF_NOT_PRESENT,
  NEVER
}
