package io.sluice.node.lsm;

import io.sluice.node.compact.KeyBounds;
import io.sluice.node.compact.LsmFile;
import io.sluice.node.compact.SublevelMap;
import java.util.HexFormat;

/**
 * A live file and where it came from.
 *
 * @param shape the file
 * @param origin how it came into the tree; a move to another level does not change it
 * @param bornSeq number of the event that brought it
 */
public record TreeFile(SstShape shape, Origin origin, long bornSeq) {
    /** The same as {@link SublevelMap} wants it. Files of level 0 are as old as the events that brought them. */
    LsmFile lsmFile() {
        HexFormat hex = HexFormat.of();
        KeyBounds bounds = new KeyBounds(hex.parseHex(shape.smallest()), hex.parseHex(shape.largest()));
        return new LsmFile(shape.name(), shape.level(), bounds, Math.max(0, shape.entries()), shape.bytes(), bornSeq);
    }
}
