/// What a running installation tells Prometheus, as far as the product defines it.
@NullMarked
package io.headgate.deploy.metrics;

import org.jspecify.annotations.NullMarked;
