package io.headgate.kit.testing.bad.knot.inner;

import io.headgate.kit.testing.bad.knot.First;

/// Closes the knot from another package.
public record Third(First.Nested next) {}
