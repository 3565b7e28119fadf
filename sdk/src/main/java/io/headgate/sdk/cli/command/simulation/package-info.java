/// Scenario snapshots, and the stand-in for `simulate` where no server is installed.
@NullMarked
package io.headgate.sdk.cli.command.simulation;

import org.jspecify.annotations.NullMarked;
