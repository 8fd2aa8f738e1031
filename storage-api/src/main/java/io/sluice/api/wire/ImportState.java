package io.sluice.api.wire;

import io.sluice.api.node.IngestTiming;
import io.sluice.api.schema.Table;
import java.util.UUID;

/**
 * An import as the node knows it.
 *
 * @param importId its id
 * @param attempt how often it was begun: what its sender puts into {@link ApiHeaders#ATTEMPT}
 * @param resumed whether it was begun before
 * @param timing when its SSTs enter the tree
 * @param table the table with the ids its keys must carry
 * @param directory how keys are divided among nodes
 */
public record ImportState(
        UUID importId, long attempt, boolean resumed, IngestTiming timing, Table table, DirectoryBody directory) {}
