package io.headgate.agent.driver.rocm;

/// A call of one of AMD's libraries failed.
final class RocmException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// @param words the library's own for the code
  RocmException(String function, int code, String words) {
    super(function + ": " + words + " (" + code + ")");
  }
}
