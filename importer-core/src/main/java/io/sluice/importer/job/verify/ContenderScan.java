package io.sluice.importer.job.verify;

import io.sluice.importer.conflict.Contender;
import io.sluice.importer.conflict.Fingerprint;
import io.sluice.importer.conflict.Place;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RowConsumer;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.encode.RowIds;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.read.InputReader;
import io.sluice.importer.job.read.RateCap;
import io.sluice.importer.job.read.Reading;
import io.sluice.importer.job.read.RecordPlaces;
import io.sluice.importer.sort.ConflictKeys;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.KvEncoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads all input again for the rows that hold one of the given keys in the primary or a unique index. It costs
 * reading, decoding and encoding; it sorts nothing.
 */
public final class ContenderScan {
    /** Memory for a contender: its place, its entry in {@link #found}, and its reject until places are in order. */
    private static final int CONTENDER_BYTES = 400;

    /** Memory for a held key with its two fingerprints. */
    private static final int HELD_KEY_BYTES = 150;

    private final Reading reading;
    private final List<InputFile> inputs;
    private final ConflictKeys keys;
    private final long mostBytes;
    private final RateCap cap;

    private final AtomicLong bytes = new AtomicLong();
    /** Found rows by file and offset, until the reject log has put their places into input order. */
    private final Map<Found, FoundRow> found = new ConcurrentHashMap<>();

    private final List<Contender> contenders = new ArrayList<>();

    private record Found(int file, long byteOffset) {}

    private record FoundRow(Fingerprint identity, List<Contender.HeldKey> keysHeld) {}

    /**
     * Creates a scan; {@link #run} starts it.
     *
     * @param keys the conflicting keys
     * @param mostBytes most memory for the found rows
     */
    public ContenderScan(Reading reading, List<InputFile> inputs, ConflictKeys keys, long mostBytes) {
        this.reading = reading;
        this.inputs = inputs;
        this.keys = keys;
        this.mostBytes = mostBytes;
        cap = new RateCap(reading.settings().resources().bytesPerSecond());
    }

    /**
     * Runs the scan and returns the rows in the order of the input.
     *
     * @throws BadInputException when the rows do not fit the memory
     */
    public List<Contender> run() throws InterruptedException {
        RejectLog places = new RejectLog(RejectLimit.UNLIMITED, (file, header, line, reject) -> {
            FoundRow row = reject.records() > 0
                    ? null
                    : found.remove(new Found(file.ordinal(), reject.place().byteOffset()));
            if (row != null) {
                Place place = new Place(
                        file.ordinal(),
                        file.name(),
                        reject.place().unit(),
                        line,
                        reject.place().byteOffset());
                contenders.add(new Contender(place, row.identity, row.keysHeld));
            }
        });
        places.startAt(inputs.get(0));
        new InputReader(reading, inputs).each(places, source -> new Worker(source, places)::run);
        return contenders;
    }

    /** Decodes splits on one thread. */
    private final class Worker implements RowConsumer {
        private final SplitSource source;
        private final RejectLog log;
        private final SplitDecoder decoder;
        private final Split split = new Split(reading.memory().splitBytes());
        private final RecordPlaces places = new RecordPlaces(reading.settings().format());
        private final List<? extends KvEncoder> encoders = reading.encoders().get();
        private final boolean[] unique;
        private final int rowIdColumn;
        private byte[] buffer = new byte[1 << 12];
        private RejectLog.@Nullable SplitRejects splitRejects;

        Worker(SplitSource source, RejectLog log) {
            this.source = source;
            this.log = log;
            Table table = reading.table();
            decoder = reading.settings().format().decoder(table.def(), ImportSettings.MAX_RECORD_BYTES);
            rowIdColumn = new RowIds(table.def()).column();
            unique = new boolean[table.indexes().size()];
            for (int i = 0; i < unique.length; i++) {
                unique[i] = i == 0 || table.indexes().get(i).def().unique();
            }
        }

        void run() throws InterruptedException {
            while (source.next(split)) {
                cap.take(split.storedBytes(), source::stopped);
                places.begin(split);
                RejectLog.SplitRejects rejected = log.split(split);
                splitRejects = rejected;
                rejected.finish(decoder.decode(split, this, rejected));
            }
        }

        @Override
        public void row(Row row, long byteOffset) {
            if (rowIdColumn >= 0) {
                row.setLong(rowIdColumn, RowIds.of(split.file().ordinal(), byteOffset));
            }
            for (int i = 0; i < unique.length; i++) {
                if (unique[i]) {
                    int keyLength = (int) (encode(i, row) >>> 32);
                    if (keys.contains(buffer, 0, keyLength)) {
                        contender(row, byteOffset);
                        return;
                    }
                }
            }
        }

        private long encode(int index, Row row) {
            KvEncoder encoder = encoders.get(index);
            int room = encoder.maxBytes(row);
            if (room > buffer.length) {
                buffer = new byte[room * 2];
            }
            return encoder.encode(row, buffer, 0);
        }

        private void contender(Row row, long byteOffset) {
            List<Contender.HeldKey> keysHeld = new ArrayList<>();
            Fingerprint identity = null;
            long size = CONTENDER_BYTES;
            for (int i = 0; i < unique.length; i++) {
                if (!unique[i]) {
                    continue;
                }
                long lengths = encode(i, row);
                int keyLength = (int) (lengths >>> 32);
                if (identity == null) {
                    identity = Fingerprint.of(buffer, 0, keyLength + (int) lengths);
                }
                if (keys.contains(buffer, 0, keyLength)) {
                    keysHeld.add(new Contender.HeldKey(
                            i,
                            Arrays.copyOf(buffer, keyLength),
                            Fingerprint.of(buffer, 0, keyLength),
                            Fingerprint.of(buffer, keyLength, (int) lengths)));
                    size += HELD_KEY_BYTES + keyLength;
                }
            }
            if (bytes.addAndGet(size) > mostBytes) {
                throw new BadInputException("too many rows have the same keys: resolving the conflicts takes "
                        + "more than the " + mostBytes / 1024 / 1024
                        + " MiB kept for it, half of --memory; is the key"
                        + " the right one? If so, give more --memory. Nothing was imported");
            }
            found.put(
                    new Found(split.file().ordinal(), byteOffset),
                    new FoundRow(Objects.requireNonNull(identity), keysHeld));
            Objects.requireNonNull(splitRejects).accept(places.place(byteOffset));
        }
    }
}
