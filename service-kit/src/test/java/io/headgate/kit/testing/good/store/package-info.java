@NullMarked
package io.headgate.kit.testing.good.store;

import org.jspecify.annotations.NullMarked;
