package io.sluice.engine.compact;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.List;

/**
 * A key span over which the largest number of files stack.
 *
 * @param bounds the span; the same files are over all of it
 * @param files those files, from the bottom to the top, at least one
 */
public record Peak(KeyBounds bounds, List<LsmFile> files) {
    /** Copies the list. */
    public Peak {
        files = List.copyOf(files);
    }

    /** The number of files. */
    public int height() {
        return files.size();
    }
}
