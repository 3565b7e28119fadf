/// Access to the clock.
@NullMarked
package io.headgate.kit.time;

import org.jspecify.annotations.NullMarked;
