/// Test tools that the services share; published as this module's test-jar.
@NullMarked
package io.headgate.kit.testing;

import org.jspecify.annotations.NullMarked;
