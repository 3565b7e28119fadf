/// The `headgate` command: finds the command, runs it, prints errors, and ends with the exit code.
@NullMarked
package io.headgate.sdk.cli;

import org.jspecify.annotations.NullMarked;
