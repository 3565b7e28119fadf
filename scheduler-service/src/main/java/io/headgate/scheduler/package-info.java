/// The scheduler service, put together: configuration, composition, main.
@NullMarked
package io.headgate.scheduler;

import org.jspecify.annotations.NullMarked;
