package io.headgate.kit.testing.bad.store;

/// Something that only the composition root may know.
public final class Rows {}
