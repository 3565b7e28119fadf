/// Which servers the command line knows, and which of them it talks to.
@NullMarked
package io.headgate.sdk.cli.context;

import org.jspecify.annotations.NullMarked;
