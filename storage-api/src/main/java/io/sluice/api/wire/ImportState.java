package io.sluice.api.wire;

import io.sluice.api.node.IngestTiming;
import io.sluice.model.schema.Table;
import java.util.UUID;

/**
 * The state of an import on a node, as JSON.
 *
 * @param importId id of the import
 * @param attempt number of the current attempt; the client sends it as fencing token in {@link ApiHeaders#ATTEMPT}
 * @param resumed whether an earlier attempt exists
 * @param timing time at which SSTs enter the tree
 * @param table the table with the ids that its keys must carry
 * @param directory key ranges and their nodes
 */
public record ImportState(
        UUID importId, long attempt, boolean resumed, IngestTiming timing, Table table, DirectoryBody directory) {}
