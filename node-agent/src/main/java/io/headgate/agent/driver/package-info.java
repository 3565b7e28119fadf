/// The port to a machine's GPUs, and the machine that has none. Each vendor's driver is a package
/// below.
@NullMarked
package io.headgate.agent.driver;

import org.jspecify.annotations.NullMarked;
