/// Output of the command line: tables measured in cells, JSON, YAML, CSV, colour and times. Text
/// from a server loses its control characters before it reaches a terminal.
@NullMarked
package io.headgate.sdk.cli.output;

import org.jspecify.annotations.NullMarked;
