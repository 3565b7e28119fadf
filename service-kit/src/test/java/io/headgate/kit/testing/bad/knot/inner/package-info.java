/// Breaks the bounds on mutual dependency.
@NullMarked
package io.headgate.kit.testing.bad.knot.inner;

import org.jspecify.annotations.NullMarked;
