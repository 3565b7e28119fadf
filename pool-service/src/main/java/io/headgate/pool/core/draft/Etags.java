package io.headgate.pool.core.draft;

/// Etags of configurations. Contents are numbered per tenant and never change, so the number
/// identifies the content.
final class Etags {
  private Etags() {}

  static String of(long content) {
    return "c" + content;
  }
}
