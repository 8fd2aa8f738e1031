package io.sluice.service.run;

import io.sluice.api.node.NodeClient;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The node or cluster that a service imports into. Owned by the caller of the service. Thread-safe. */
public interface Target {
    /** The client of the node or cluster; the service does not close it. */
    NodeClient node();

    /** Number of nodes. */
    int nodes();

    /** Directory for temporary files of imports; on the node's disk if the node is in this process. */
    Path workDirectory();

    /** The store, if it is in this process; otherwise null. */
    @Nullable
    Path store();

    /** The history of a table's LSM tree as JSON, as {@code sluice lsm --html} draws it; null if there is none. */
    @Nullable
    String lsm(String table);
}
