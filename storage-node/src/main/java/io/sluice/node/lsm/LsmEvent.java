package io.sluice.node.lsm;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One thing that happened to the LSM tree of a column family, told after it happened (but for {@link CompactionBegin}).
 * What it did to the set of live files is {@link #removed} and then {@link #added}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
    @JsonSubTypes.Type(value = LsmEvent.Snapshot.class, name = LsmEvent.Snapshot.KIND),
    @JsonSubTypes.Type(value = LsmEvent.Ingest.class, name = LsmEvent.Ingest.KIND),
    @JsonSubTypes.Type(value = LsmEvent.Put.class, name = LsmEvent.Put.KIND),
    @JsonSubTypes.Type(value = LsmEvent.Flush.class, name = LsmEvent.Flush.KIND),
    @JsonSubTypes.Type(value = LsmEvent.SmallSstFlush.class, name = LsmEvent.SmallSstFlush.KIND),
    @JsonSubTypes.Type(value = LsmEvent.CompactionBegin.class, name = LsmEvent.CompactionBegin.KIND),
    @JsonSubTypes.Type(value = LsmEvent.CompactionEnd.class, name = LsmEvent.CompactionEnd.KIND),
    @JsonSubTypes.Type(value = LsmEvent.Removal.class, name = LsmEvent.Removal.KIND),
    @JsonSubTypes.Type(value = LsmEvent.Failure.class, name = LsmEvent.Failure.KIND),
    @JsonSubTypes.Type(value = LsmEvent.Publish.class, name = LsmEvent.Publish.KIND),
    @JsonSubTypes.Type(value = LsmEvent.Drop.class, name = LsmEvent.Drop.KIND),
    @JsonSubTypes.Type(value = LsmEvent.Gap.class, name = LsmEvent.Gap.KIND)
})
public sealed interface LsmEvent {
    /** One word for it, as in the log. */
    String kind();

    /** Files that are live since then; one that was live before is replaced. */
    default List<SstShape> added() {
        return List.of();
    }

    /** Names of files that are live no more. */
    default List<String> removed() {
        return List.of();
    }

    /** Whether no file that was live before is, but those {@link #added}. */
    default boolean replacesAll() {
        return false;
    }

    /** Bytes that came in from outside by it. */
    default long arrivedBytes() {
        return 0;
    }

    /** Bytes that were written to disk for it; of ingestion, the file itself, which its sender wrote. */
    default long writtenBytes() {
        return 0;
    }

    /**
     * All live files of the column family; written when the log begins anew.
     *
     * @param files every one of them
     */
    record Snapshot(List<SstShape> files) implements LsmEvent {
        static final String KIND = "snapshot";

        public Snapshot {
            files = List.copyOf(files);
        }

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public List<SstShape> added() {
            return files;
        }

        @Override
        public boolean replacesAll() {
            return true;
        }
    }

    /**
     * Files came from outside in one call.
     *
     * @param files as they lie in the tree
     */
    record Ingest(List<SstShape> files) implements LsmEvent {
        static final String KIND = "ingest";

        public Ingest {
            files = List.copyOf(files);
        }

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public List<SstShape> added() {
            return files;
        }

        @Override
        public long arrivedBytes() {
            return bytesOf(files);
        }

        @Override
        public long writtenBytes() {
            return bytesOf(files);
        }
    }

    /**
     * The KVs of an SST too small to be a file of its own were Put into the landing column family.
     *
     * @param kvs how many
     * @param bytes their keys and values
     */
    record Put(long kvs, long bytes) implements LsmEvent {
        static final String KIND = "put";

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public long arrivedBytes() {
            return bytes;
        }

        @Override
        public long writtenBytes() {
            return bytes;
        }
    }

    /**
     * A memtable with live writes became files. Nothing told of those writes before, so that they count as arrived.
     *
     * @param files as they lie in the tree
     */
    record Flush(List<SstShape> files) implements LsmEvent {
        static final String KIND = "flush";

        public Flush {
            files = List.copyOf(files);
        }

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public List<SstShape> added() {
            return files;
        }

        @Override
        public long arrivedBytes() {
            return bytesOf(files);
        }

        @Override
        public long writtenBytes() {
            return bytesOf(files);
        }
    }

    /**
     * What had been Put into the landing column family was written to SSTs in key order, and those were ingested.
     *
     * @param kvs how many
     * @param files as they lie in the tree
     */
    record SmallSstFlush(long kvs, List<SstShape> files) implements LsmEvent {
        static final String KIND = "drain";

        public SmallSstFlush {
            files = List.copyOf(files);
        }

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public List<SstShape> added() {
            return files;
        }

        @Override
        public long writtenBytes() {
            return bytesOf(files);
        }
    }

    /**
     * A compaction is about to run; its inputs are live until it ends.
     *
     * @param job names it within the column family
     * @param inputs names of the files it was asked to merge
     * @param outputLevel the level to write to
     */
    record CompactionBegin(long job, List<String> inputs, int outputLevel) implements LsmEvent {
        static final String KIND = "compaction-begin";

        public CompactionBegin {
            inputs = List.copyOf(inputs);
        }

        @Override
        public String kind() {
            return KIND;
        }
    }

    /**
     * A compaction replaced its inputs by its outputs. A file that is among both was moved, not written.
     *
     * @param job as in its {@link CompactionBegin}; 0 when nobody told of that
     * @param inputs names of the files it merged, with those that RocksDB added
     * @param outputs as they lie in the tree
     */
    record CompactionEnd(long job, List<String> inputs, List<SstShape> outputs) implements LsmEvent {
        static final String KIND = "compaction";

        public CompactionEnd {
            inputs = List.copyOf(inputs);
            outputs = List.copyOf(outputs);
        }

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public List<SstShape> added() {
            return outputs;
        }

        @Override
        public List<String> removed() {
            return inputs;
        }

        @Override
        public long writtenBytes() {
            Set<String> before = new HashSet<>(inputs);
            return outputs.stream()
                    .filter(file -> !before.contains(file.name()))
                    .mapToLong(SstShape::bytes)
                    .sum();
        }
    }

    /**
     * Files were removed without being merged into others, as by a delete of a whole key span.
     *
     * @param files their names
     */
    record Removal(List<String> files) implements LsmEvent {
        static final String KIND = "removal";

        public Removal {
            files = List.copyOf(files);
        }

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public List<String> removed() {
            return files;
        }
    }

    /**
     * Something failed and changed nothing.
     *
     * @param job the compaction that failed, or 0
     * @param what what was attempted, in a word: ingest, flush, drain, compaction
     * @param reason what the user is told
     */
    record Failure(long job, String what, String reason) implements LsmEvent {
        static final String KIND = "failure";

        @Override
        public String kind() {
            return KIND;
        }
    }

    /** The table became visible. */
    record Publish() implements LsmEvent {
        static final String KIND = "publish";

        @Override
        public String kind() {
            return KIND;
        }
    }

    /** The column family was dropped with all its files. */
    record Drop() implements LsmEvent {
        static final String KIND = "drop";

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public boolean replacesAll() {
            return true;
        }
    }

    /**
     * Events are missing here: what follows is right again from the next {@link Snapshot} on.
     *
     * @param events how many
     * @param reason why, in a sentence
     */
    record Gap(long events, String reason) implements LsmEvent {
        static final String KIND = "gap";

        @Override
        public String kind() {
            return KIND;
        }
    }

    private static long bytesOf(List<SstShape> files) {
        return files.stream().mapToLong(SstShape::bytes).sum();
    }
}
