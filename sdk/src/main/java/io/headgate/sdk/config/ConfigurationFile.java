package io.headgate.sdk.config;

/// A file that was read without a mistake.
public record ConfigurationFile(
    Configuration configuration, SourceText source, SourceMap sourceMap) {}
