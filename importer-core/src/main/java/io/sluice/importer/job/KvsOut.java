package io.sluice.importer.job;

import io.sluice.importer.encode.KvTarget;
import java.io.IOException;
import java.util.List;

/** What becomes of the KVs that one worker encodes. Used by that worker alone. */
interface KvsOut {
    /** Where the KVs go, one target per index in the table's order. */
    List<? extends KvTarget> targets();

    /** All KVs of a row are in the targets. Called for every row: it must cost next to nothing. */
    void rowEncoded(StageClock clock) throws IOException, InterruptedException;

    /** Whether to say when parts of a split are decoded. */
    default boolean wantsPieces() {
        return false;
    }

    /** Some of a split was decoded, and not the end of it. Only for those who want it. */
    default void pieceEnded(ReadSplit piece, StageClock clock) throws IOException, InterruptedException {}

    /** A split was decoded: of one that comes in pieces, the last piece. */
    void splitEnded(ReadSplit split, StageClock clock) throws IOException, InterruptedException;

    /** There are no more splits. */
    void inputEnded(StageClock clock) throws IOException, InterruptedException;
}
