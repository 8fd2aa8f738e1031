package io.sluice.api.node;

import java.util.Map;

/** Per-node figures of a session with several nodes. */
public interface NodeGroup {
    /** Number of nodes. */
    int nodes();

    /** Milliseconds that all SSTs together were on their way so far, by the node's name. */
    Map<String, Long> shippingMillis();
}
