package io.sluice.node.http;

import io.sluice.api.node.RowCursor;
import io.sluice.http.Bodies;
import io.sluice.http.LineStream.Lines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Streams rows as JSON arrays, one per line. */
final class RowLines implements Lines {
    private final RowCursor rows;

    RowLines(RowCursor rows) {
        this.rows = rows;
    }

    @Override
    public boolean more(ByteArrayOutputStream into) throws IOException {
        List<@Nullable String> row = rows.next();
        if (row == null) {
            return false;
        }
        into.write(Bodies.JSON.writeValueAsBytes(row));
        into.write('\n');
        return true;
    }

    @Override
    public void close() {
        rows.close();
    }
}
