package io.sluice.spark;

import io.sluice.importer.conflict.Fingerprint;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Table;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * The KVs of some files in blocks, and for each file a record with an empty key, which says what the file held. For one
 * task. Blocks may hold KVs of several files.
 */
final class FileKvs implements Iterator<Tuple2<byte[], byte[]>>, AutoCloseable {
    private final FileTask task;
    private final Table table;
    private final Set<Fingerprint> losers;
    private final Iterator<FileRef> files;
    private final Split split = new Split(FileTask.SPLIT_BYTES);
    private final BlockWriter blocks;
    private @Nullable Tuple2<byte[], byte[]> report;
    private @Nullable OpenFile open;

    FileKvs(FileTask task, Set<Fingerprint> losers, KeyRanges ranges, Iterator<FileRef> files) {
        this.task = task;
        table = task.table().table();
        this.losers = losers;
        blocks = new BlockWriter(table, ranges);
        this.files = files;
    }

    @Override
    public boolean hasNext() {
        while (blocks.isEmpty() && report == null && (open != null || files.hasNext())) {
            OpenFile file = open == null ? new OpenFile(files.next()) : open;
            open = file;
            if (!file.readSplit()) {
                report = file.read().record();
                close();
            }
        }
        if (blocks.isEmpty() && report == null) {
            blocks.flush();
        }
        return !blocks.isEmpty() || report != null;
    }

    @Override
    public Tuple2<byte[], byte[]> next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        Tuple2<byte[], byte[]> read = report;
        if (read != null) {
            report = null;
            return read;
        }
        return blocks.next();
    }

    @Override
    public void close() {
        if (open != null && open.source != null) {
            open.source.close();
        }
        open = null;
    }

    /** The file that is read. */
    private final class OpenFile {
        private final RowEncoder encoder;
        private final RejectLog rejects;
        private @Nullable SplitSource source;
        private @Nullable SplitDecoder decoder;
        private @Nullable String failure;

        OpenFile(FileRef ref) {
            encoder = new RowEncoder(table, ref.ordinal(), losers, blocks.targets());
            rejects = new RejectLog(new RejectLimit.Count(task.mostRejects()), RejectSink.NONE);
            try {
                InputFile file = task.open(ref);
                rejects.startAt(file);
                source = task.source(file, FileTask.SPLIT_BYTES);
                rejects.onLimit(source::stop);
                decoder = task.decoder(table);
            } catch (BadInputException e) {
                failure = e.getMessage();
            }
        }

        /** Reads the next rows; false at the end, or if the file cannot be read on. */
        boolean readSplit() {
            if (failure != null) {
                return false;
            }
            try {
                if (!Objects.requireNonNull(source).next(split)) {
                    return false;
                }
                RejectLog.SplitRejects rejected = rejects.split(split);
                rejected.finish(Objects.requireNonNull(decoder)
                        .decode(split, (row, offset) -> encoder.encode(row, offset), rejected));
                return true;
            } catch (BadInputException e) {
                failure = e.getMessage();
                return false;
            }
        }

        TaskResults.Read read() {
            String first = rejects.first();
            return encoder.read(rejects.count(), first == null ? List.of() : List.of(first), failure);
        }
    }
}
