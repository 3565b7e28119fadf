/// Reports of past usage.
@NullMarked
package io.headgate.sdk.cli.command.usage;

import org.jspecify.annotations.NullMarked;
