package io.headgate.sdk.model;

import java.util.Map;

/// Why a job waits: one stable code with its numbers.
public record Reason(String code, String message, Map<String, String> detail) {
  public Reason {
    detail = Map.copyOf(detail);
  }
}
