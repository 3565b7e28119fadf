@NullMarked
package io.headgate.kit.testing.bad;

import org.jspecify.annotations.NullMarked;
