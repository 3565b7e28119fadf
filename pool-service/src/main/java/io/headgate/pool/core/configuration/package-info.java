/// Pools, profiles and links, and the checks of a configuration.
@NullMarked
package io.headgate.pool.core.configuration;

import org.jspecify.annotations.NullMarked;
