package io.headgate.kit.testing.bad.knot;

import io.headgate.kit.testing.bad.knot.inner.Third;

/// The middle of a knot of three files.
public record Second(Third[] next) {}
