package io.headgate.deploy.grafana;

/// Moments that are marked in all panels of a dashboard.
///
/// @param expr has a value at those moments only
/// @param text with `{{label}}` for the value of a label
record Annotation(String name, String expr, String text, String color) {}
