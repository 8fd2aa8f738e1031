package io.sluice.importer.ship;

import java.util.Map;

/** What a session with several nodes knows of each, besides being one session. */
public interface NodeGroup {
    /** How many nodes there are. */
    int nodes();

    /** Milliseconds that SSTs were on their way to a node so far, of all SSTs together, by the node's name. */
    Map<String, Long> shippingMillis();
}
