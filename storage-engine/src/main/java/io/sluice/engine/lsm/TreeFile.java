package io.sluice.engine.lsm;

import io.sluice.engine.compact.SublevelMap;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.HexFormat;

/**
 * A live file and its origin.
 *
 * @param shape the file
 * @param origin its origin, which a move to another level does not change
 * @param bornSeq number of the event that added it
 */
public record TreeFile(SstShape shape, Origin origin, long bornSeq) {
    /** The file for a {@link SublevelMap}. The age of a file of level 0 is the number of the event that added it. */
    LsmFile lsmFile() {
        HexFormat hex = HexFormat.of();
        KeyBounds bounds = new KeyBounds(hex.parseHex(shape.smallest()), hex.parseHex(shape.largest()));
        return new LsmFile(shape.name(), shape.level(), bounds, Math.max(0, shape.entries()), shape.bytes(), bornSeq);
    }
}
