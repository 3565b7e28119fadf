/// What the tests of every service share; published as this module's test-jar.
@NullMarked
package io.headgate.kit.testing;

import org.jspecify.annotations.NullMarked;
