package io.sluice.node.compact;

import java.util.List;

/**
 * A stretch of keys over which most files stand above each other.
 *
 * @param bounds the stretch; the same files stand over all of it
 * @param files those files, from the bottom to the top, at least one
 */
public record Peak(KeyBounds bounds, List<LsmFile> files) {
    /** Copies the list. */
    public Peak {
        files = List.copyOf(files);
    }

    /** How many files stand there. */
    public int height() {
        return files.size();
    }
}
