package io.sluice.node.catalog;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.RangeDirectory;
import io.sluice.model.schema.Table;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The catalog record of an import that is not published. Its id is that of its table, because table ids are never
 * reused. An import into an existing table takes an id of its own.
 *
 * @param table the table that it publishes
 * @param family the column family its KVs go to
 * @param ownsFamily whether that was created for this import; false for a table interleaved in another
 * @param timing when its SSTs enter the tree
 * @param progress its phase and last ingest
 * @param directory which nodes hold which keys
 * @param claim its fencing token; null when it cannot be resumed and is undone with its session
 * @param append the data of an import into an existing table; null: the table is new
 */
public record ImportRecord(
        Table table,
        String family,
        boolean ownsFamily,
        IngestTiming timing,
        Progress progress,
        RangeDirectory directory,
        @Nullable FencingToken claim,
        @Nullable Appending append) {
    public ImportRecord {
        // Records of an earlier version lack these members; such imports can only be undone.
        timing = timing == null ? IngestTiming.AT_END : timing;
        progress = progress == null ? Progress.UNTOLD : progress;
        directory = directory == null ? RangeDirectory.SINGLE_NODE : directory;
    }

    /**
     * The phase of an import and its last ingest.
     *
     * @param phase the phase
     * @param files names of the staged files of the last ingest
     * @param newestBefore number of the newest file in the column family before that ingest: its files have higher
     *     numbers
     */
    public record Progress(ImportPhase phase, List<String> files, long newestBefore) {
        static final Progress NONE = new Progress(ImportPhase.RECEIVING, List.of(), 0);

        /** The progress of a record without one: the import may have ingested. */
        static final Progress UNTOLD = new Progress(ImportPhase.INGESTED, List.of(), 0);

        public Progress {
            files = List.copyOf(files);
        }
    }

    /**
     * The data of an import into an existing table. The arrays are not copied, and must not be changed.
     *
     * @param number id of the import
     * @param after checksums of the table with the rows of the import; known before it ingests
     * @param smallestKey first key of one of the files to ingest
     * @param largestKey last key of that file
     * @param owner owner of the freeze under which an entry of the cluster's log may publish it; null: it is not
     *     prepared
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Appending(
            int number,
            List<IndexChecksum> after,
            byte[] smallestKey,
            byte[] largestKey,
            @Nullable String owner) {
        public Appending {
            after = List.copyOf(after);
        }

        /** Without files: an entry of the log may come. */
        public static Appending prepared(int number, List<IndexChecksum> after, String owner) {
            return new Appending(number, after, new byte[0], new byte[0], owner);
        }

        static Appending notIntended(int number) {
            return new Appending(number, List.of(), new byte[0], new byte[0], null);
        }
    }

    /** The import's id, unique among all imports of this store. */
    public int id() {
        return append == null ? table.id() : append.number();
    }

    public ImportPhase phase() {
        return progress.phase();
    }

    /** Whether KVs of the import may be in the LSM tree. */
    public boolean mayHaveIngested() {
        return progress.phase() != ImportPhase.RECEIVING;
    }

    /** The client's id of the import, or null. */
    public @Nullable UUID importId() {
        return claim == null ? null : claim.importId();
    }

    ImportRecord at(Progress next) {
        return new ImportRecord(table, family, ownsFamily, timing, next, directory, claim, append);
    }

    ImportRecord appending(Progress next, Appending intended) {
        return new ImportRecord(table, family, ownsFamily, timing, next, directory, claim, intended);
    }

    ImportRecord withDirectory(RangeDirectory next) {
        return new ImportRecord(table, family, ownsFamily, timing, progress, next, claim, append);
    }

    ImportRecord withToken(FencingToken next) {
        return new ImportRecord(table, family, ownsFamily, timing, progress, directory, next, append);
    }
}
