@NullMarked
package io.headgate.kit.testing.good;

import org.jspecify.annotations.NullMarked;
