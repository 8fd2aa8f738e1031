package io.sluice.api.transaction;

import java.util.List;

/** The nodes of a cluster and the placement of its tables. Thread-safe; the caller closes it. */
public interface Participants extends AutoCloseable {
    /** All nodes, also those that do not answer. */
    List<Participant> nodes();

    /** The placements of all readable tables. */
    List<Placement> placements();

    @Override
    void close();
}
