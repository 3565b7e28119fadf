package io.headgate.deploy;

/// The version of this build.
final class Version {
  static final String TEXT = text();

  private Version() {}

  private static String text() {
    String fromManifest = Version.class.getPackage().getImplementationVersion();
    return fromManifest == null ? "development" : fromManifest;
  }
}
