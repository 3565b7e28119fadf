/// Pools, nodes, maintenance of nodes, and the tokens with which nodes join.
@NullMarked
package io.headgate.sdk.cli.command.supply;

import org.jspecify.annotations.NullMarked;
