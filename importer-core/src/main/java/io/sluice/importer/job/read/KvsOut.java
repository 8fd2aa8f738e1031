package io.sluice.importer.job.read;

import io.sluice.importer.encode.KvTarget;
import java.io.IOException;
import java.util.List;

/** Takes the KVs that one worker encodes; without further methods, the targets are all. For one worker. */
public interface KvsOut {
    /** The targets of the KVs, one per index in the table's order. */
    List<? extends KvTarget> targets();

    /** Called when all KVs of a row are in the targets. It runs for every row and must cost next to nothing. */
    default void rowEncoded() throws IOException, InterruptedException {}

    /** Whether to call {@link #chunkEnded}. */
    default boolean wantsChunks() {
        return false;
    }

    /** Called when a chunk of a split is decoded that is not its last one. */
    default void chunkEnded(ReadSplit chunk) throws IOException, InterruptedException {}

    /** Called when a split is decoded; the argument is its last chunk if it comes in chunks. */
    default void splitEnded(ReadSplit split) throws IOException, InterruptedException {}

    /** Called when there are no more splits. */
    default void inputEnded() throws IOException, InterruptedException {}
}
