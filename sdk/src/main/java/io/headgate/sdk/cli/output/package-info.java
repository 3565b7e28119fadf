/// How the command line prints: tables measured in cells, JSON, YAML, CSV, colour, times. Text that
/// came from a server is cleaned of control characters before it reaches a terminal.
@NullMarked
package io.headgate.sdk.cli.output;

import org.jspecify.annotations.NullMarked;
