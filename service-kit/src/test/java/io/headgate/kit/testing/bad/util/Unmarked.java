package io.headgate.kit.testing.bad.util;

/// Is in a package without a package-info.
public final class Unmarked {}
