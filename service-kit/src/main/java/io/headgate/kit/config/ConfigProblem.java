package io.headgate.kit.config;

/// One problem of a configuration.
///
/// @param where file, line and column (`headgate.yaml:4:3`) or the environment variable
/// @param key path of the key, such as `database.max-connections`
/// @param message the fault and its remedy
public record ConfigProblem(String where, String key, String message) {

  @Override
  public String toString() {
    return where + ": " + key + ": " + message;
  }
}
