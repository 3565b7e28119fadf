/// Breaks the bounds on mutual dependency.
@NullMarked
package io.headgate.kit.testing.bad.knot;

import org.jspecify.annotations.NullMarked;
