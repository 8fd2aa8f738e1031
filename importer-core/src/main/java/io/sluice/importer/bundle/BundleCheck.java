package io.sluice.importer.bundle;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.importer.source.Framing;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Compares a bundle's present records by checksum with those that were rejected.
 *
 * @param records present number of records in the data files
 * @param unchanged number of present records that equal rejected ones
 * @param rejected number of rejected records
 * @param cut positions of rejects that were too long for the data files; the first {@value #MAX_CUT}
 */
public record BundleCheck(long records, long unchanged, long rejected, List<String> cut) {
    private static final int MAX_CUT = 10;
    private static final int SPLIT_BYTES = 1 << 20;
    private static final JsonMapper JSON = new JsonMapper();

    public BundleCheck {
        cut = List.copyOf(cut);
    }

    /**
     * Reads a bundle and compares its records.
     *
     * @param inputs the data files of the bundle
     * @param maxRecordBytes longest record that an import allows
     */
    public static BundleCheck of(Bundle bundle, List<InputFile> inputs, int maxRecordBytes) {
        List<String> cut = new ArrayList<>();
        Map<Long, Integer> written = new HashMap<>();
        long rejected = readRejects(bundle.directory().resolve(BundleWriter.REJECTS), written, cut);
        Framing framing = bundle.format().framing();
        long records = 0;
        long unchanged = 0;
        CRC32 crc = new CRC32();
        Split split = new Split(SPLIT_BYTES);
        try (SplitSource source =
                new SplitSource(inputs, framing, bundle.format().reading(SPLIT_BYTES, maxRecordBytes))) {
            while (source.next(split)) {
                int pos = split.start();
                while (pos < split.end()) {
                    int end = split.oversized()
                            ? split.end()
                            : framing.firstRecordEnd(split.buffer(), pos, split.end(), true);
                    crc.reset();
                    crc.update(split.buffer(), pos, contentEnd(split.buffer(), pos, end) - pos);
                    Integer left = written.computeIfPresent(crc.getValue(), (sum, count) -> count - 1);
                    boolean same = left != null && left >= 0;
                    unchanged += same ? 1 : 0;
                    // A line that begins like a comment is a reject, too, if comments were a guess.
                    boolean record = split.oversized() || framing.isRecord(split.buffer(), pos, end);
                    records += record || same ? 1 : 0;
                    pos = end;
                }
            }
        }
        return new BundleCheck(records, unchanged, rejected, cut);
    }

    private static int contentEnd(byte[] buffer, int from, int end) {
        int to = end > from && buffer[end - 1] == '\n' ? end - 1 : end;
        return to > from && buffer[to - 1] == '\r' ? to - 1 : to;
    }

    /** Counts the rejects by their checksums. */
    private static long readRejects(Path list, Map<Long, Integer> written, List<String> cut) {
        long rejected = 0;
        try (BufferedReader lines = Files.newBufferedReader(list)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode reject = JSON.readTree(line);
                rejected++;
                if (!reject.path("cut").asBoolean()) {
                    written.merge(reject.path("crc32").asLong(), 1, Integer::sum);
                } else if (cut.size() < MAX_CUT) {
                    cut.add(reject.path("file").asText() + ", line "
                            + reject.path("line").asLong() + " (byte "
                            + reject.path("byte").asLong() + ")");
                }
            }
            return rejected;
        } catch (JacksonException e) {
            throw new BadInputException(list + ", line " + (rejected + 1) + ": is not JSON: " + Reasons.plain(e), e);
        } catch (IOException e) {
            throw new BadInputException(list + ": cannot be read: " + Reasons.ofFile(list, e), e);
        }
    }
}
