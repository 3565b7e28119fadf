package io.headgate.kit.config;

/// One thing that is wrong with a configuration.
///
/// @param where file, line and column (`headgate.yaml:4:3`) or the environment variable
/// @param key the path of the key, such as `database.max-connections`
/// @param message what is wrong and what to do
public record ConfigProblem(String where, String key, String message) {

  @Override
  public String toString() {
    return where + ": " + key + ": " + message;
  }
}
