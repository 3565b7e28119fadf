@NullMarked
package io.headgate.kit.testing.bad.core;

import org.jspecify.annotations.NullMarked;
