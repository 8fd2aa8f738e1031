package io.sluice.engine.lsm;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import io.sluice.engine.store.LsmFile;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * An event of a column family's LSM tree, recorded after it happened (except {@link CompactionBegin}). It changes the
 * set of live files by {@link #removed}, then {@link #added}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
    @JsonSubTypes.Type(value = LsmEvent.Snapshot.class),
    @JsonSubTypes.Type(value = LsmEvent.Ingest.class),
    @JsonSubTypes.Type(value = LsmEvent.Put.class),
    @JsonSubTypes.Type(value = LsmEvent.Flush.class),
    @JsonSubTypes.Type(value = LsmEvent.SmallSstFlush.class),
    @JsonSubTypes.Type(value = LsmEvent.CompactionBegin.class),
    @JsonSubTypes.Type(value = LsmEvent.CompactionEnd.class),
    @JsonSubTypes.Type(value = LsmEvent.Removal.class),
    @JsonSubTypes.Type(value = LsmEvent.Failure.class),
    @JsonSubTypes.Type(value = LsmEvent.Publish.class),
    @JsonSubTypes.Type(value = LsmEvent.Drop.class),
    @JsonSubTypes.Type(value = LsmEvent.Gap.class)
})
public sealed interface LsmEvent {
    /** The member of the log that has the files of an event. */
    String FILES = "files";

    /** The event's kind in the log, one word. */
    default String kind() {
        return getClass().getAnnotation(JsonTypeName.class).value();
    }

    /** Files that became live; an entry replaces a live file of the same name. */
    default List<LsmFile> added() {
        return List.of();
    }

    /** Names of files that are no longer live. */
    default List<String> removed() {
        return List.of();
    }

    /** Whether all earlier files are gone, except those {@link #added}. */
    default boolean replacesAll() {
        return false;
    }

    /** Bytes that arrived from outside. */
    default long arrivedBytes() {
        return 0;
    }

    /** Bytes written to disk: those that arrived, unless it says otherwise; for ingestion, the sender wrote them. */
    default long writtenBytes() {
        return arrivedBytes();
    }

    /**
     * All live files of the column family; written when the log restarts.
     *
     * @param added all live files
     */
    @JsonTypeName("snapshot")
    record Snapshot(@JsonProperty(FILES) List<LsmFile> added) implements LsmEvent {
        public Snapshot {
            added = List.copyOf(added);
        }

        @Override
        public boolean replacesAll() {
            return true;
        }
    }

    /**
     * Files were ingested in one call.
     *
     * @param added the files in their levels
     */
    @JsonTypeName("ingest")
    record Ingest(@JsonProperty(FILES) List<LsmFile> added) implements LsmEvent {
        public Ingest {
            added = List.copyOf(added);
        }

        @Override
        public long arrivedBytes() {
            return LsmFile.bytesOf(added);
        }
    }

    /**
     * The KVs of a small SST were Put into the small-SST buffer.
     *
     * @param kvs number of KVs
     * @param bytes length of their keys and values
     */
    @JsonTypeName("put")
    record Put(long kvs, long bytes) implements LsmEvent {
        @Override
        public long arrivedBytes() {
            return bytes;
        }
    }

    /**
     * A memtable of live writes was flushed to files. The writes were not logged before, so they count as arrived.
     *
     * @param added the files in their levels
     */
    @JsonTypeName("flush")
    record Flush(@JsonProperty(FILES) List<LsmFile> added) implements LsmEvent {
        public Flush {
            added = List.copyOf(added);
        }

        @Override
        public long arrivedBytes() {
            return LsmFile.bytesOf(added);
        }
    }

    /**
     * The small-SST buffer was flushed to SSTs in key order, which were ingested.
     *
     * @param kvs number of KVs
     * @param added the files in their levels
     */
    @JsonTypeName("drain")
    record SmallSstFlush(long kvs, @JsonProperty(FILES) List<LsmFile> added) implements LsmEvent {
        public SmallSstFlush {
            added = List.copyOf(added);
        }

        @Override
        public long writtenBytes() {
            return LsmFile.bytesOf(added);
        }
    }

    /**
     * A compaction is about to run; its inputs are live until it ends.
     *
     * @param job number of the compaction in the column family
     * @param inputs names of the picked files
     * @param outputLevel the level to write to
     */
    @JsonTypeName("compaction-begin")
    record CompactionBegin(long job, List<String> inputs, int outputLevel) implements LsmEvent {
        public CompactionBegin {
            inputs = List.copyOf(inputs);
        }
    }

    /**
     * A compaction replaced its inputs by its outputs. A file that is in both was moved, not written.
     *
     * @param job as in its {@link CompactionBegin}; 0 when that was not logged
     * @param inputs names of its input files, including those that RocksDB added
     * @param outputs the output files in their levels
     */
    @JsonTypeName("compaction")
    record CompactionEnd(long job, List<String> inputs, List<LsmFile> outputs) implements LsmEvent {
        public CompactionEnd {
            inputs = List.copyOf(inputs);
            outputs = List.copyOf(outputs);
        }

        @Override
        public List<LsmFile> added() {
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
                    .mapToLong(LsmFile::fileBytes)
                    .sum();
        }
    }

    /**
     * Files were removed without a compaction, as by a delete of a key span.
     *
     * @param removed names of the files
     */
    @JsonTypeName("removal")
    record Removal(@JsonProperty(FILES) List<String> removed) implements LsmEvent {
        public Removal {
            removed = List.copyOf(removed);
        }
    }

    /**
     * An operation failed and changed nothing.
     *
     * @param job the compaction that failed, or 0
     * @param what the operation: ingest, flush, drain, compaction
     * @param reason the message for the user
     */
    @JsonTypeName("failure")
    record Failure(long job, String what, String reason) implements LsmEvent {}

    /** The table became visible. */
    @JsonTypeName("publish")
    record Publish() implements LsmEvent {}

    /** The column family was dropped with all its files. */
    @JsonTypeName("drop")
    record Drop() implements LsmEvent {
        @Override
        public boolean replacesAll() {
            return true;
        }
    }

    /**
     * Events are missing here: the state is correct again from the next {@link Snapshot} on.
     *
     * @param events number of missing events
     * @param reason the reason, in a sentence
     */
    @JsonTypeName("gap")
    record Gap(long events, String reason) implements LsmEvent {}
}
