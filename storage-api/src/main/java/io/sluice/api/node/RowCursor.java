package io.sluice.api.node;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cursor over rows. Not thread-safe; the caller closes it. */
public interface RowCursor extends AutoCloseable {
    /** Returns the next row, one text datum per column (null for NULL), or null after the last row. */
    @Nullable
    List<@Nullable String> next();

    @Override
    void close();
}
