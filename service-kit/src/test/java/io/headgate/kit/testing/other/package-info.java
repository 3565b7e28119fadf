@NullMarked
package io.headgate.kit.testing.other;

import org.jspecify.annotations.NullMarked;
