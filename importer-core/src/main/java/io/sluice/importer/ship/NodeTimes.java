package io.sluice.importer.ship;

import java.util.Map;

/** A session with several nodes that measures each of them. */
public interface NodeTimes {
    /** Milliseconds that SSTs were on their way to a node so far, of all SSTs together, by the node's name. */
    Map<String, Long> shippingMillis();
}
