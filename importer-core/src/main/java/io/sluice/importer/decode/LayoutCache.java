package io.sluice.importer.decode;

import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import org.jspecify.annotations.Nullable;

/** Caches the field layout of the current file, since each file may have its own header. */
final class LayoutCache {
    private final CsvFormat format;
    private @Nullable InputFile file;
    private @Nullable FieldLayout layout;

    LayoutCache(CsvFormat format) {
        this.format = format;
    }

    FieldLayout of(Split split) {
        FieldLayout known = layout;
        if (known == null || !split.file().equals(file)) {
            known = FieldLayout.of(format, split.header(), split.file().name());
            layout = known;
            file = split.file();
        }
        return known;
    }
}
