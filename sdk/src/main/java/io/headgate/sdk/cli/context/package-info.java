/// The file of contexts: known servers with their keys, and the selected one.
@NullMarked
package io.headgate.sdk.cli.context;

import org.jspecify.annotations.NullMarked;
