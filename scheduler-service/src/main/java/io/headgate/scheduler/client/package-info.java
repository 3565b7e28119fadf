/// Other services, as this one follows them.
@NullMarked
package io.headgate.scheduler.client;

import org.jspecify.annotations.NullMarked;
