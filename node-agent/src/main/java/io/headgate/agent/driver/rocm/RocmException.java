package io.headgate.agent.driver.rocm;

/// A call of one of AMD's libraries failed.
final class RocmException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final boolean isBusy;

  /// @param words the library's own for the code
  /// @param isBusy whether somebody uses what was to be changed
  RocmException(String function, int code, String words, boolean isBusy) {
    super(function + ": " + words + " (" + code + ")");
    this.isBusy = isBusy;
  }

  boolean isBusy() {
    return isBusy;
  }
}
