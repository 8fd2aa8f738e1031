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

    /** A split was decoded. */
    void splitEnded(ReadSplit split, StageClock clock) throws IOException, InterruptedException;

    /** There are no more splits. */
    void inputEnded(StageClock clock) throws IOException, InterruptedException;
}
