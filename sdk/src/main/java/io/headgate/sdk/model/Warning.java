package io.headgate.sdk.model;

/// Not an error, but something that an operator should know.
///
/// @param field path of what it is about; empty: the whole
public record Warning(String reason, String message, String field) {}
