/// Planning, applying and exporting a configuration, and listing what is in force.
@NullMarked
package io.headgate.sdk.cli.command.configuration;

import org.jspecify.annotations.NullMarked;
