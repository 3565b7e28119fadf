/// The configuration file: YAML or JSON text to records and back, with the line and column of every
/// key and value, so that each mistake is shown where it is.
///
/// [io.headgate.sdk.config.ConfigurationReader] reads and checks everything that can be known
/// without a server; [io.headgate.sdk.config.ConfigurationWriter] writes the same format.
@NullMarked
package io.headgate.sdk.config;

import org.jspecify.annotations.NullMarked;
