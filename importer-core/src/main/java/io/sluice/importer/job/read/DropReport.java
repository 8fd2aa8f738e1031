package io.sluice.importer.job.read;

import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.conflict.Contender;
import io.sluice.importer.conflict.DroppedRows;
import io.sluice.importer.conflict.Place;
import io.sluice.importer.conflict.Resolution;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.source.Split;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.Table;
import io.sluice.model.text.DatumFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Leaves out the rows that lose a conflict, and passes them to the reject bundle if the policy captures them. For one
 * worker.
 */
final class DropReport {
    private final Table table;
    private final DroppedRows dropped;
    private final boolean captured;
    private final RecordPlaces places;
    private final ImportProgress progress;
    private @Nullable Consumer<Reject> rejects;
    private int file;

    DropReport(Reading reading) {
        table = reading.table();
        dropped = reading.dropped();
        captured = reading.settings().onConflict() == ConflictPolicy.CAPTURE;
        places = new RecordPlaces(reading.settings().format());
        progress = reading.progress();
    }

    /** Starts the next split. */
    void begin(Split split, Consumer<Reject> splitRejects) {
        file = split.file().ordinal();
        rejects = splitRejects;
        places.begin(split);
    }

    /** Whether the row loses a conflict and is left out; captures it if the policy says so. */
    boolean dropped(Row row, long byteOffset) {
        Resolution.Drop drop = dropped.at(file, byteOffset);
        if (drop == null) {
            return false;
        }
        if (captured && rejects != null) {
            Reject.Rival rival = rival(row, drop);
            Contender winner = drop.winner();
            String holder = winner == null
                    ? "a row of the table has"
                    : "the row at " + winner.place().describe() + " has";
            String message = "has the key " + rival.key() + " of index " + rival.index() + ", which " + holder
                    + ", but other values";
            rejects.accept(places.captured(byteOffset, message, rival));
            progress.capturedRow();
        }
        return true;
    }

    private Reject.Rival rival(Row row, Resolution.Drop drop) {
        IndexDef index = table.indexes().get(drop.key().index()).def();
        List<String> datums = new ArrayList<>();
        for (IndexColumn part : index.columns()) {
            Column column = table.def().columns().get(part.column());
            datums.add(column.name() + " = " + DatumFormatter.format(row, part.column(), column.type()));
        }
        String key = String.join(", ", datums);
        Contender winner = drop.winner();
        if (winner == null) {
            return new Reject.Rival(index.name(), key, "table " + table.name(), 0, -1);
        }
        Place place = winner.place();
        return new Reject.Rival(index.name(), key, place.name(), place.line(), place.byteOffset());
    }
}
