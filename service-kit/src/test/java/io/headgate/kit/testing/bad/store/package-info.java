@NullMarked
package io.headgate.kit.testing.bad.store;

import org.jspecify.annotations.NullMarked;
