package io.sluice.client.cluster;

import io.sluice.api.node.NodeClient;
import io.sluice.model.error.NodeUnreachableException;
import org.jspecify.annotations.Nullable;

/** One node of a cluster. It fetches its id on first use, so that a cluster opens while a node is down. */
final class Member {
    private final String name;
    private final String described;
    private final NodeClient client;
    private volatile @Nullable String id;

    /**
     * Creates a member.
     *
     * @param name the address
     * @param described the node in messages
     */
    Member(String name, String described, NodeClient client) {
        this.name = name;
        this.described = described;
        this.client = client;
    }

    /** Creates a member whose id is known. */
    Member(String name, String described, NodeClient client, String id) {
        this(name, described, client);
        this.id = id;
    }

    String name() {
        return name;
    }

    /** The node in messages: its name and address if it is in a cluster. */
    String described() {
        return described;
    }

    NodeClient client() {
        return client;
    }

    /**
     * The node's id in range directories.
     *
     * @throws NodeUnreachableException when the id is not known yet and the node does not answer
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
