package io.sluice.service.run;

import io.sluice.api.node.NodeClient;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The node or cluster that a service imports into. Owned by the caller of the service. Thread-safe.
 *
 * @param node the client of the node or cluster; the service does not close it
 * @param nodes number of nodes
 * @param workDirectory directory for temporary files of imports; on the node's disk if the node is in this process
 * @param store the store, if it is in this process; otherwise null
 * @param history the history of a table's LSM tree as JSON, as {@code sluice lsm --html} draws it; null if there is
 *     none
 * @param members asks each node how it is
 */
public record Target(
        NodeClient node,
        int nodes,
        Path workDirectory,
        @Nullable Path store,
        Function<String, @Nullable String> history,
        Supplier<List<ServedNode>> members) {}
