package io.sluice.service.run;

import io.sluice.api.node.NodeClient;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What a service imports into. Owned by whoever starts the service, and used by many threads until that is closed. */
public interface Target {
    /** The node, or several as one; {@code close} is not the service's to call. */
    NodeClient node();

    /** How many nodes there are. */
    int nodes();

    /** A directory for temporary files of imports; on the node's disk when that is in this process. */
    Path workDirectory();

    /** The store, when it is in this process; or null. */
    @Nullable
    Path store();

    /** The history of a table's LSM tree as JSON, as {@code sluice lsm --html} draws it; null when there is none. */
    @Nullable
    String lsm(String table);
}
