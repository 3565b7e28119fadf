package io.headgate.agent;

import io.headgate.agent.runtime.attempt.GangNetwork;
import io.headgate.kit.config.Setting;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/// Jobs with several workers, which reach each other over the network.
public record GangConfig(
    @Setting(
            meaning = "Address or host name by which other nodes reach this one.",
            absent = "the local address of a connection to the scheduler")
        Optional<String> address,
    @Setting(
            meaning =
                "First of the ports that are reserved for MASTER_PORT, one for each gang whose "
                    + "worker 0 is on the node.",
            bound = "1024 to 65535")
        int firstPort,
    @Setting(meaning = "Last of these ports.", bound = "`first-port` to 65535") int lastPort) {
  public static final GangConfig DEFAULTS = new GangConfig(Optional.empty(), 29500, 29999);

  public GangConfig {
    address.ifPresent(host ->
        Bounds.require(
            host.matches("[0-9A-Za-z.:_%-]{1,253}"),
            "gang.address",
            "'" + host + "'",
            "is no IP address or host name"));
    Bounds.require(
        firstPort >= 1024 && firstPort <= 65535,
        "gang.first-port",
        Integer.toString(firstPort),
        "is not 1024 to 65535");
    Bounds.require(
        lastPort >= firstPort && lastPort <= 65535,
        "gang.last-port",
        Integer.toString(lastPort),
        "is not gang.first-port (" + firstPort + ") to 65535");
  }

  GangNetwork.Settings settings(List<URI> schedulers) {
    return new GangNetwork.Settings(address, schedulers, firstPort, lastPort);
  }
}
