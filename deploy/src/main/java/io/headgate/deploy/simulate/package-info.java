/// `headgate simulate`: the scheduling core on virtual time, without servers.
@NullMarked
package io.headgate.deploy.simulate;

import org.jspecify.annotations.NullMarked;
