package io.sluice.importer.bundle;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.importer.source.InputFile;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rejects in the bundle of an interrupted import, after its incompletely written end is truncated. Rejects in spans
 * that are done stay. Others occur again and stay, too; {@link #takeRepeated} finds them, so that they are not written
 * twice.
 */
final class KeptRejects {
    /** Member of a reject with the ordinal of its input, if others have the same name. */
    static final String INPUT = "input";

    private static final int BY_NAME = -1;
    private static final JsonMapper JSON = new JsonMapper();

    private final Map<String, Extent> extents = new LinkedHashMap<>();
    /** Number of rejects per position that is read again. */
    private final Map<Place, Integer> expected = new HashMap<>();

    private final Map<String, Long> reasons = new TreeMap<>();
    private long rejects;
    private long cut;
    /** Number of rejected records in spans that are done. */
    private long done;

    /**
     * Position of a reject.
     *
     * @param input ordinal of its input if others have the same name; else -1
     */
    private record Place(String name, int input, long byteOffset) {}

    /** The used part of a data file. */
    private static final class Extent {
        final long headerBytes;
        long bytes;
        long records;
        /** Offset of the last record. */
        long last;

        Extent(long headerBytes) {
            this.headerBytes = headerBytes;
        }
    }

    /**
     * A data file.
     *
     * @param path the directories that it is in, with a slash at the end; empty in the bundle's own
     * @param header the bytes before its records
     * @param last its last record, with the separator
     */
    @SuppressWarnings("ArrayRecordComponent")
    record KeptFile(Manifest.Data data, String path, byte[] header, byte[] last) {}

    private KeptRejects() {}

    /** Reads a bundle and truncates the incomplete ends of its files. */
    static KeptRejects of(Path directory, BundleJob job, int separatorBytes) throws IOException {
        KeptRejects kept = new KeptRejects();
        Path list = directory.resolve(BundleWriter.REJECTS);
        if (Files.exists(list)) {
            truncate(list, kept.read(directory, list, job, separatorBytes));
        }
        try (Stream<Path> below = Files.walk(directory)) {
            for (Path file : below.filter(Files::isRegularFile)
                    .filter(path -> BundleWriter.isData(path.getFileName()))
                    .toList()) {
                Extent used = kept.extents.get(directory.relativize(file).toString());
                if (used == null) {
                    Files.delete(file);
                } else {
                    truncate(file, used.bytes);
                }
            }
        }
        return kept;
    }

    /** Reads the number of rejected records in spans that are done; changes nothing. */
    static long done(Path directory, BundleJob job, int separatorBytes) throws IOException {
        KeptRejects kept = new KeptRejects();
        Path list = directory.resolve(BundleWriter.REJECTS);
        if (Files.exists(list)) {
            kept.read(directory, list, job, separatorBytes);
        }
        return kept.done;
    }

    private static void truncate(Path file, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(bytes);
        }
    }

    /** Reads the list up to the first incomplete line or missing record; returns the length of that part. */
    private long read(Path directory, Path list, BundleJob job, int separatorBytes) throws IOException {
        long end = 0;
        try (InputStream in = new BufferedInputStream(Files.newInputStream(list))) {
            byte[] line = line(in);
            while (line != null && take(directory, JSON.readTree(line), job, separatorBytes)) {
                end += line.length + 1;
                line = line(in);
            }
        } catch (JsonProcessingException e) {
            // The line was truncated.
            return end;
        }
        return end;
    }

    private static byte @Nullable [] line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            if (next == '\n') {
                return line.toByteArray();
            }
            line.write(next);
        }
        return null;
    }

    private boolean take(Path directory, JsonNode reject, BundleJob job, int separatorBytes) throws IOException {
        if (reject.has("data")) {
            String name = reject.path("data").asText();
            long offset = reject.path("offset").asLong();
            long end = offset + reject.path("length").asLong() + separatorBytes;
            Path file = directory.resolve(name);
            if (!Files.exists(file) || Files.size(file) < end) {
                return false;
            }
            Extent extent = extents.computeIfAbsent(name, first -> new Extent(offset));
            extent.bytes = end;
            extent.last = offset;
            extent.records++;
        }
        rejects++;
        long records = reject.path("records").asLong(1);
        BundleWriter.count(reasons, reject.path("code").asText(), records);
        cut += reject.path("cut").asBoolean() ? 1 : 0;
        Place place = new Place(
                reject.path("file").asText(),
                reject.path(INPUT).asInt(BY_NAME),
                reject.path("byte").asLong());
        if (!job.isDone(place.name, place.input, place.byteOffset)) {
            expected.merge(place, 1, Integer::sum);
        } else {
            done += records;
        }
        return true;
    }

    /**
     * Whether a reject was written by an earlier attempt; true once per written reject.
     *
     * @param shared whether other inputs have the same name
     */
    boolean takeRepeated(InputFile input, boolean shared, long byteOffset) {
        Place place = new Place(input.name(), shared ? input.ordinal() : BY_NAME, byteOffset);
        Integer left = expected.get(place);
        if (left == null) {
            return false;
        }
        if (left == 1) {
            expected.remove(place);
        } else {
            expected.put(place, left - 1);
        }
        return true;
    }

    /** Number of rejects in the bundle. */
    long rejects() {
        return rejects;
    }

    /** Number of records by reason. */
    Map<String, Long> reasons() {
        return reasons;
    }

    /** Number of rejects without a record in a data file. */
    long cut() {
        return cut;
    }

    /** The data files in the order of their first records. */
    List<KeptFile> files(Path directory) throws IOException {
        List<KeptFile> files = new ArrayList<>();
        for (Map.Entry<String, Extent> each : extents.entrySet()) {
            String name = each.getKey();
            Extent extent = each.getValue();
            try (InputStream in = Files.newInputStream(directory.resolve(name))) {
                byte[] header = in.readNBytes((int) extent.headerBytes);
                in.skipNBytes(extent.last - extent.headerBytes);
                files.add(new KeptFile(
                        new Manifest.Data(name, extent.records, extent.bytes),
                        name.substring(0, name.lastIndexOf('/') + 1),
                        header,
                        in.readNBytes((int) (extent.bytes - extent.last))));
            }
        }
        return files;
    }
}
