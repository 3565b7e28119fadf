@NullMarked
package io.headgate.kit.testing.good.runtime;

import org.jspecify.annotations.NullMarked;
