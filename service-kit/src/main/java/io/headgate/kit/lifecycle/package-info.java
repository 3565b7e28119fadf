/// Ordered start and stop of a process.
@NullMarked
package io.headgate.kit.lifecycle;

import org.jspecify.annotations.NullMarked;
