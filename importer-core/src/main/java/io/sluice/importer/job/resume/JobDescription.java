package io.sluice.importer.job.resume;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.api.node.ImportSession;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Parallel;
import io.sluice.importer.source.parquet.ParquetStream;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Format, reject bundle and inputs of a resumable import. Nodes keep it from before the first shipment. A resumed
 * import must match it: half a table from one input and half from another would be neither.
 *
 * @param format format of the input
 * @param rejects directory of the reject bundle if the user has named it, or null
 * @param inputs marks of the inputs, in order
 */
public record JobDescription(String format, @Nullable String rejects, List<InputMark> inputs) {
    /** Key of the record that is written last: if it is there, the records of the inputs are, too. */
    private static final String NOTE = "job";

    /** Stands for the bundle of a service's job. */
    private static final String OF_SERVICE = "(of the service)";

    private static final String INPUTS = "inputs-";
    /** Size of a record of inputs: half of what a node takes. */
    private static final int INPUTS_NOTE_BYTES = 512 << 10;

    private static final int PARALLEL_READS = 16;
    private static final int CHANGES_SHOWN = 10;
    private static final JsonMapper JSON = new JsonMapper();

    /** The members other than the inputs. */
    private record Head(String format, @Nullable String rejects, int inputNotes) {}

    /**
     * Identifies the version of an input, so that a resumed import notices a change without reading the input. The
     * reading itself is bound to this version: an origin serves no other one.
     *
     * @param name the input's name in messages
     * @param bytes stored length of the input
     * @param encoding charset and compression of the input, and the layout that Parquet is converted to
     * @param version version at the origin: ETag and times, or time and inode
     * @param head CRC of the first bytes
     */
    record InputMark(String name, long bytes, String encoding, String version, int head) {
        /** Bytes in the head: 64 KiB. They hold the header of any format, or the first hundreds of records. */
        private static final int HEAD_BYTES = 64 << 10;

        static InputMark of(InputFile input) {
            try (InputStream in = input.origin().open()) {
                byte[] head = in.readNBytes(HEAD_BYTES);
                CRC32C crc = new CRC32C();
                crc.update(head);
                String encoding =
                        input.encoding() + (ParquetStream.isMagic(head, head.length) ? ParquetStream.LAYOUT : "");
                return new InputMark(input.name(), input.sizeBytes(), encoding, input.version(), (int) crc.getValue());
            } catch (IOException e) {
                throw new OperationFailedException(input.name() + ": cannot be read: " + e.getMessage(), e);
            }
        }

        /** The difference to a later mark in words, or null. */
        @Nullable
        String changed(InputMark now) {
            if (!name.equals(now.name)) {
                return "was " + name + " and is " + now.name;
            }
            if (bytes != now.bytes) {
                return name + " had " + bytes + " bytes and has " + now.bytes;
            }
            if (head != now.head) {
                return name + " begins with other bytes";
            }
            if (!version.equals(now.version)) {
                return name + " was modified since: it was of " + version + " and is of " + now.version;
            }
            if (!encoding.endsWith(ParquetStream.LAYOUT) && now.encoding.endsWith(ParquetStream.LAYOUT)) {
                return name + " was read by an earlier version of Sluice, which must also go on with the import";
            }
            return encoding.equals(now.encoding) ? null : name + " is to be read with another charset or compression";
        }
    }

    /** Describes an import. */
    static JobDescription of(ImportSettings settings, List<InputFile> inputs) {
        List<InputMark> marks = new ArrayList<>();
        for (Parallel.Found<InputMark> found :
                Parallel.map(inputs, PARALLEL_READS, input -> List.of(InputMark.of(input)))) {
            if (found.problem() != null) {
                throw found.problem();
            }
            marks.addAll(found.results());
        }
        BundleSettings bundle = settings.rejects().bundle();
        return new JobDescription(settings.format().toString(), bundle == null ? null : rejects(bundle), marks);
    }

    private static @Nullable String rejects(BundleSettings bundle) {
        return switch (bundle.choice()) {
            case USER -> bundle.directory().toAbsolutePath().toString();
            case COMMAND -> null;
            case SERVICE -> OF_SERVICE;
        };
    }

    /** Whether the records describe an import, so that it can be resumed. */
    public static boolean isNoted(Map<String, byte[]> notes) {
        return notes.containsKey(NOTE);
    }

    /** Writes the description as checkpoint records. */
    void note(ImportSession session) {
        try {
            int notes = 0;
            List<InputMark> some = new ArrayList<>();
            int bytes = 0;
            for (InputMark input : inputs) {
                int length = JSON.writeValueAsBytes(input).length;
                if (bytes + length > INPUTS_NOTE_BYTES) {
                    session.putCheckpoint(INPUTS + notes++, JSON.writeValueAsBytes(some));
                    some.clear();
                    bytes = 0;
                }
                some.add(input);
                bytes += length + 1;
            }
            session.putCheckpoint(INPUTS + notes++, JSON.writeValueAsBytes(some));
            session.putCheckpoint(NOTE, JSON.writeValueAsBytes(new Head(format, rejects, notes)));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write a description as JSON", e);
        }
    }

    private static JobDescription read(Map<String, byte[]> notes) {
        try {
            Head head = JSON.readValue(notes.get(NOTE), Head.class);
            List<InputMark> inputs = new ArrayList<>();
            for (int i = 0; i < head.inputNotes; i++) {
                inputs.addAll(List.of(JSON.readValue(notes.get(INPUTS + i), InputMark[].class)));
            }
            return new JobDescription(head.format, head.rejects, inputs);
        } catch (IOException e) {
            throw new OperationFailedException(
                    "the import was begun by another version of Sluice, which must also go on with it", e);
        }
    }

    /**
     * Checks that this description matches the recorded one.
     *
     * @throws BadInputException naming the differences
     */
    void check(Map<String, byte[]> notes) {
        JobDescription begun = read(notes);
        List<String> changes = new ArrayList<>();
        if (!begun.format.equals(format)) {
            changes.add("the format was " + begun.format + " and is " + format);
        }
        if (!OF_SERVICE.equals(rejects) && !String.valueOf(begun.rejects).equals(String.valueOf(rejects))) {
            changes.add("--rejects was " + (begun.rejects == null ? "not given" : begun.rejects) + " and is "
                    + (rejects == null ? "not given" : rejects));
        }
        if (begun.inputs.size() != inputs.size()) {
            changes.add("there were " + begun.inputs.size() + " inputs and are " + inputs.size());
        }
        for (int i = 0; i < Math.min(begun.inputs.size(), inputs.size()) && changes.size() < CHANGES_SHOWN; i++) {
            String change = begun.inputs.get(i).changed(inputs.get(i));
            if (change != null) {
                changes.add("input " + (i + 1) + ": " + change);
            }
        }
        if (!changes.isEmpty()) {
            throw new BadInputException("the import of this --job-id was started with other inputs or options, and"
                    + " cannot be resumed:\n" + String.join("\n", changes)
                    + "\nRestore those inputs and options, or import under another --job-id");
        }
    }
}
