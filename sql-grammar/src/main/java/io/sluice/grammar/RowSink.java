package io.sluice.grammar;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes the rows of a SELECT while they are found. What it throws ends the statement. */
public interface RowSink {
    /** Begins the rows of a statement. */
    void columns(List<String> names);

    /** Takes a row: one text datum per column, null for NULL. May wait, which delays the statement. */
    void row(List<@Nullable String> row);
}
