package io.sluice.api.node;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows one after the other. Not safe for use by several threads; close it. */
public interface RowCursor extends AutoCloseable {
    /** The next row, one text datum per column (null for NULL), or null behind the last. */
    @Nullable
    List<@Nullable String> next();

    @Override
    void close();
}
