package io.sluice.node.catalog;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.schema.Table;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An import that is not published. The id of its table names it: ids are never used twice. An import into a table that
 * has rows takes an id of its own for that.
 *
 * @param table the table to be
 * @param family the column family its KVs go to
 * @param ownsFamily whether that was made for this import; false for a table interleaved in another
 * @param timing when its SSTs were asked to enter the tree
 * @param progress how far it has come
 * @param directory how its keys are divided among nodes
 * @param claim who may resume it; null when it is undone with its session
 * @param append what is particular to an import into a table that has rows; null: the table is new
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
        // A store of an earlier version says less; such imports cannot be resumed, only undone.
        timing = timing == null ? IngestTiming.AT_END : timing;
        progress = progress == null ? Progress.UNTOLD : progress;
        directory = directory == null ? RangeDirectory.SINGLE_NODE : directory;
    }

    /**
     * How far an import has come.
     *
     * @param phase the state
     * @param files names of the staged files that the last ingest was about
     * @param newestBefore number of the newest file in the column family when that ingest was about to begin: files
     *     with higher ones came by it
     */
    public record Progress(ImportPhase phase, List<String> files, long newestBefore) {
        /** Of an import that has just begun. */
        static final Progress NONE = new Progress(ImportPhase.RECEIVING, List.of(), 0);

        /** Of an import that does not say: it may have ingested. */
        static final Progress UNTOLD = new Progress(ImportPhase.INGESTED, List.of(), 0);

        public Progress {
            files = List.copyOf(files);
        }
    }

    /**
     * An import into a table that has rows. The arrays are not copied: do not change them.
     *
     * @param number names the import
     * @param after what the table adds up to with the rows of the import; known when it is about to ingest
     * @param smallestKey first key of one of the files that it is about to ingest
     * @param largestKey its last key
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Appending(int number, List<IndexChecksum> after, byte[] smallestKey, byte[] largestKey) {
        public Appending {
            after = List.copyOf(after);
        }

        static Appending begun(int number) {
            return new Appending(number, List.of(), new byte[0], new byte[0]);
        }
    }

    /** Names the import among all that this store ever saw. */
    public int id() {
        return append == null ? table.id() : append.number();
    }

    /** How far it has come, in a word. */
    public ImportPhase phase() {
        return progress.phase();
    }

    /** Whether KVs of it may be in the LSM tree. */
    public boolean mayHaveIngested() {
        return progress.phase() != ImportPhase.RECEIVING;
    }

    /** What its claim calls it, or null. */
    public @Nullable UUID importId() {
        return claim == null ? null : claim.importId();
    }

    ImportRecord at(Progress next) {
        return new ImportRecord(table, family, ownsFamily, timing, next, directory, claim, append);
    }

    ImportRecord appending(Progress next, Appending intended) {
        return new ImportRecord(table, family, ownsFamily, timing, next, directory, claim, intended);
    }

    ImportRecord divided(RangeDirectory next) {
        return new ImportRecord(table, family, ownsFamily, timing, progress, next, claim, append);
    }

    ImportRecord claimed(FencingToken next) {
        return new ImportRecord(table, family, ownsFamily, timing, progress, directory, next, append);
    }
}
