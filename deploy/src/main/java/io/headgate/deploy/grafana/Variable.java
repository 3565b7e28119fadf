package io.headgate.deploy.grafana;

/// A choice at the top of a dashboard: names of the configuration, several or all of them.
///
/// @param query of label values
record Variable(String name, String label, String query) {
  /// The choice of everything; it matches series without the label, too.
  static final String ALL = ".*";
}
