package io.sluice.api.transaction;

import java.util.List;

/** The nodes of a cluster, and which keys of which tables they hold. Usable by several threads; close it. */
public interface Participants extends AutoCloseable {
    /** All nodes that can be reached. */
    List<Participant> nodes();

    /** The tables that can be read, by who holds which keys. */
    List<Placement> placements();

    @Override
    void close();
}
