@NullMarked
package io.headgate.kit.testing.bad.runtime;

import org.jspecify.annotations.NullMarked;
