package io.sluice.importer.cluster;

import io.sluice.api.error.NodeUnreachableException;
import io.sluice.api.node.NodeClient;
import org.jspecify.annotations.Nullable;

/** One node of a cluster. Its id is asked for when it is first needed, so that a cluster opens while a node is down. */
final class Member {
    private final String name;
    private final NodeClient client;
    private volatile @Nullable String id;

    /**
     * A member.
     *
     * @param name what people call it: its address
     */
    Member(String name, NodeClient client) {
        this.name = name;
        this.client = client;
    }

    String name() {
        return name;
    }

    NodeClient client() {
        return client;
    }

    /**
     * The id that directories know it by.
     *
     * @throws NodeUnreachableException when it was never asked before and does not answer
     */
    String id() {
        String known = id;
        if (known == null) {
            known = client.status().id();
            id = known;
        }
        return known;
    }
}
