package io.headgate.kit.testing.other;

/// Stands for a class of another service.
public final class Foreign {}
