package io.headgate.sdk.model;

/// A fact that an operator should know, but no error.
///
/// @param field path of its subject; empty: the whole
public record Warning(String reason, String message, String field) {}
