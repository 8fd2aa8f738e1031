package io.sluice.importer.decode.input;

import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.RowConsumer;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.model.schema.TableDef;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Decodes splits of files, with the values of their directories for the columns that have no field. */
final class DirectoryDecoder implements SplitDecoder {
    private final InputFormat format;
    private final TableDef table;
    private final int maxRecordBytes;

    private @Nullable InputFile file;
    private @Nullable DirectoryValues values;
    private @Nullable SplitDecoder decoder;

    DirectoryDecoder(InputFormat format, TableDef table, int maxRecordBytes) {
        this.format = format;
        this.table = table;
        this.maxRecordBytes = maxRecordBytes;
    }

    @Override
    public long decode(Split split, RowConsumer rows, Consumer<Reject> rejects) {
        return of(split.file()).decode(split, rows, rejects);
    }

    private SplitDecoder of(InputFile next) {
        if (decoder != null && next.equals(file)) {
            return decoder;
        }
        DirectoryValues found = DirectoryValues.of(next);
        if (decoder == null || !found.equals(values)) {
            decoder = format.decoder(table, found, next.name(), maxRecordBytes);
            values = found;
        }
        file = next;
        return decoder;
    }
}
