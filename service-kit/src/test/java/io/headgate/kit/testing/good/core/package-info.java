@NullMarked
package io.headgate.kit.testing.good.core;

import org.jspecify.annotations.NullMarked;
