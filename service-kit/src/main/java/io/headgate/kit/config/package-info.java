/// One immutable configuration record per process, read once from a YAML file and the environment.
@NullMarked
package io.headgate.kit.config;

import org.jspecify.annotations.NullMarked;
