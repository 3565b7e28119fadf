/// Devices that do not exist, for trying out and for tests.
@NullMarked
package io.headgate.agent.driver.simulated;

import org.jspecify.annotations.NullMarked;
