package io.headgate.kit.testing.bad;

/// Has a name that says nothing.
public final class ThingManager {}
