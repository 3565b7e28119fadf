package io.headgate.pool.core.draft;

/// Etags of configurations. Contents are numbered per tenant and never change, so the number says
/// which one is meant.
final class Etags {
  private Etags() {}

  static String of(long content) {
    return "c" + content;
  }
}
