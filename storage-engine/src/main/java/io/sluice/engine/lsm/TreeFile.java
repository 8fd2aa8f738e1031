package io.sluice.engine.lsm;

import io.sluice.engine.compact.SublevelMap;
import io.sluice.engine.store.LsmFile;

/**
 * A live file and its origin.
 *
 * @param file the file
 * @param origin its origin, which a move to another level does not change
 * @param bornSeq number of the event that added it
 */
public record TreeFile(LsmFile file, Origin origin, long bornSeq) {
    /** The file for a {@link SublevelMap}. The age of a file of level 0 is the number of the event that added it. */
    LsmFile aged() {
        return new LsmFile(file.name(), file.level(), file.bounds(), file.entries(), file.fileBytes(), bornSeq);
    }
}
