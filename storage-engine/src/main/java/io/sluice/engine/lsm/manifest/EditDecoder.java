package io.sluice.engine.lsm.manifest;

import io.sluice.engine.lsm.manifest.Fields.MalformedEdit;
import io.sluice.engine.lsm.manifest.VersionEdit.AddedFile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a record to a version edit: a sequence of fields, each a tag and its content. Tags and contents are those of
 * RocksDB's {@code db/version_edit.h} and {@code db/version_edit.cc}. Skips fields that a picture does not need.
 */
final class EditDecoder {
    private static final int COMPARATOR = 1;
    private static final int LOG_NUMBER = 2;
    private static final int NEXT_FILE_NUMBER = 3;
    private static final int LAST_SEQUENCE = 4;
    private static final int COMPACT_CURSOR = 5;
    private static final int DELETED_FILE = 6;
    private static final int NEW_FILE = 7;
    private static final int PREV_LOG_NUMBER = 9;
    private static final int MIN_LOG_NUMBER_TO_KEEP = 10;
    private static final int NEW_FILE_2 = 100;
    private static final int NEW_FILE_3 = 102;
    private static final int NEW_FILE_4 = 103;
    private static final int COLUMN_FAMILY = 200;
    private static final int COLUMN_FAMILY_ADD = 201;
    private static final int COLUMN_FAMILY_DROP = 202;
    private static final int MAX_COLUMN_FAMILY = 203;
    private static final int IN_ATOMIC_GROUP = 300;
    private static final int BLOB_FILE_ADDITION = 400;
    private static final int BLOB_FILE_GARBAGE = 401;

    /** A tag with this bit is followed by a length, so that older readers can skip it. */
    private static final int SAFE_IGNORE_MASK = 1 << 13;
    /** Four tags that some RocksDB versions wrote with that bit but without a length. */
    private static final int OLD_BLOB_FILE_ADDITION = SAFE_IGNORE_MASK + 2;

    private static final int OLD_BLOB_FILE_GARBAGE = SAFE_IGNORE_MASK + 3;
    private static final int OLD_WAL_ADDITION = SAFE_IGNORE_MASK + 4;
    private static final int OLD_WAL_DELETION = SAFE_IGNORE_MASK + 5;

    /** Ends the custom fields of a file. */
    private static final int TERMINATE = 1;

    private static final int FILE_CREATION_TIME = 6;
    /** A reader must not skip a file's custom field with this bit. */
    private static final int CUSTOM_NOT_SAFE_MASK = 1 << 6;

    private static final int PATH_ID = 65;

    /** Ends the custom fields of a blob file. */
    private static final int BLOB_END = 0;

    private static final int WAL_SYNCED_SIZE = 2;

    private final Fields fields;
    private final List<AddedFile> added = new ArrayList<>();
    private final List<Long> removed = new ArrayList<>();
    private int family;
    private @Nullable String addsFamily;
    private boolean dropsFamily;
    private @Nullable String comparator;
    private boolean advancesLog;
    private boolean countsFiles;

    private EditDecoder(byte[] edit) {
        fields = new Fields(edit);
    }

    /** Decodes a record. Does not keep the array. */
    static VersionEdit decode(byte[] record) throws MalformedEdit {
        EditDecoder decoder = new EditDecoder(record);
        while (!decoder.fields.atEnd()) {
            decoder.field();
        }
        // RocksDB writes the next file number with every change; only the initial state lacks it.
        return new VersionEdit(
                decoder.family,
                decoder.addsFamily,
                decoder.dropsFamily,
                decoder.comparator,
                decoder.advancesLog,
                !decoder.countsFiles,
                List.copyOf(decoder.added),
                List.copyOf(decoder.removed));
    }

    private void field() throws MalformedEdit {
        int at = fields.position();
        int tag = fields.varint32("a tag");
        switch (tag) {
            case COMPARATOR -> comparator = text("the comparator");
            case LOG_NUMBER -> {
                fields.varint("the log number");
                advancesLog = true;
            }
            case NEXT_FILE_NUMBER -> {
                fields.varint("the next file number");
                countsFiles = true;
            }
            case LAST_SEQUENCE -> fields.varint("the last sequence number");
            case COMPACT_CURSOR -> {
                fields.varint32("the level of a compaction cursor");
                fields.slice("a compaction cursor");
            }
            case DELETED_FILE -> {
                fields.varint32("a level");
                removed.add(fields.varint("a file number"));
            }
            case NEW_FILE, NEW_FILE_2, NEW_FILE_3, NEW_FILE_4 -> added.add(addedFile(tag));
            case PREV_LOG_NUMBER -> fields.varint("the previous log number");
            case MIN_LOG_NUMBER_TO_KEEP -> fields.varint("the oldest log to keep");
            case COLUMN_FAMILY -> family = fields.varint32("a column family");
            case COLUMN_FAMILY_ADD -> addsFamily = text("a column family's name");
            case COLUMN_FAMILY_DROP -> dropsFamily = true;
            case MAX_COLUMN_FAMILY -> fields.varint32("the last column family");
            case IN_ATOMIC_GROUP -> fields.varint32("what remains of a group");
            case BLOB_FILE_ADDITION, OLD_BLOB_FILE_ADDITION -> blobFile(true);
            case BLOB_FILE_GARBAGE, OLD_BLOB_FILE_GARBAGE -> blobFile(false);
            case OLD_WAL_ADDITION -> oldLog();
            case OLD_WAL_DELETION -> fields.varint("a log number");
            default -> {
                if ((tag & SAFE_IGNORE_MASK) == 0) {
                    throw new MalformedEdit("has the unknown tag " + tag + " at its byte " + at
                            + "; a newer RocksDB may have written it");
                }
                fields.slice("what belongs to tag " + tag);
            }
        }
    }

    private AddedFile addedFile(int tag) throws MalformedEdit {
        int level = fields.varint32("a level");
        long number = fields.varint("a file number");
        if (tag == NEW_FILE_3) {
            fields.varint32("a path");
        }
        long bytes = fields.varint("a file's length");
        byte[] smallest = fields.userKey("a file's first key");
        byte[] largest = fields.userKey("a file's last key");
        if (tag != NEW_FILE) {
            fields.varint("a sequence number");
            fields.varint("a sequence number");
        }
        long created = tag == NEW_FILE_4 ? createdSeconds() : 0;
        return new AddedFile(level, number, bytes, smallest, largest, created);
    }

    /** Reads all custom fields of a file. */
    private long createdSeconds() throws MalformedEdit {
        long created = 0;
        for (int tag = customTag(); tag != TERMINATE; tag = customTag()) {
            byte[] content = fields.slice("a file's field " + tag);
            if (tag == FILE_CREATION_TIME) {
                created = new Fields(content).varint("a file's time");
            } else if ((tag & CUSTOM_NOT_SAFE_MASK) != 0 && tag != PATH_ID) {
                throw new MalformedEdit(
                        "has a file with the unknown field " + tag + "; a newer RocksDB may have written it");
            }
        }
        return created;
    }

    private int customTag() throws MalformedEdit {
        return fields.varint32("the tag of a file's field");
    }

    private void blobFile(boolean comes) throws MalformedEdit {
        fields.varint("a blob file's number");
        fields.varint("a count of blobs");
        fields.varint("the bytes of blobs");
        if (comes) {
            fields.slice("a checksum's method");
            fields.slice("a checksum");
        }
        for (int tag = customTag(); tag != BLOB_END; tag = customTag()) {
            fields.slice("a blob file's field " + tag);
        }
    }

    private void oldLog() throws MalformedEdit {
        fields.varint("a log number");
        for (int tag = customTag(); tag != TERMINATE; tag = customTag()) {
            if (tag != WAL_SYNCED_SIZE) {
                throw new MalformedEdit("has a log with the unknown field " + tag);
            }
            fields.varint("a log's length");
        }
    }

    private String text(String what) throws MalformedEdit {
        return new String(fields.slice(what), StandardCharsets.UTF_8);
    }
}
