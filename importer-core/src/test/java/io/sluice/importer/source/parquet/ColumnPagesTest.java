package io.sluice.importer.source.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages of files that the library writes. {@code -Dsluice.seed=N} repeats a run. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ColumnPagesTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int ROWS = 2_000;
    private static final int LARGEST_WINDOW = 4 << 10;
    private static final int FLIPS = 200;

    @TempDir
    Path directory;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private Path file;

    @BeforeEach
    void writeFile() throws IOException {
        file = directory.resolve("rows.parquet");
        ParquetProperties properties = ParquetProperties.builder()
                .withPageSize(1 << 10)
                .withMinRowCountForPageSizeCheck(50)
                .withWriterVersion(random.nextBoolean() ? WriterVersion.PARQUET_1_0 : WriterVersion.PARQUET_2_0)
                .build();
        RowBatchTest.write(file, RowBatchTest.rows(random, ROWS), properties);
    }

    @Test
    void pagesAreTheSameThroughWindowsOfAnySize() throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            for (ColumnChunkMetaData chunk :
                    new ParquetFooter(channel, "rows.parquet").chunks(0).values()) {
                List<String> whole = pages(new ColumnPages(channel, chunk, 1 << 20, true, new PageBuffers(1 << 20)));
                int window = 1 + random.nextInt(LARGEST_WINDOW);
                boolean reused = random.nextBoolean();
                assertTrue(whole.size() > 1, chunk.toString());
                assertEquals(
                        whole,
                        pages(new ColumnPages(channel, chunk, window, reused, new PageBuffers(1 << 20))),
                        () -> "seed " + SEED + ", a window of " + window + ", reused " + reused + ": " + chunk);
            }
        }
    }

    private static List<String> pages(ColumnPages column) {
        List<String> pages = new ArrayList<>();
        DictionaryPage dictionary = column.readDictionaryPage();
        pages.add(dictionary == null ? "none" : dictionary.getDictionarySize() + " " + text(dictionary.getBytes()));
        for (DataPage page = column.readPage(); page != null; page = column.readPage()) {
            pages.add(page.getValueCount() + " "
                    + (page instanceof DataPageV1 first ? text(first.getBytes()) : text((DataPageV2) page)));
        }
        column.release();
        return pages;
    }

    private static String text(DataPageV2 page) {
        return text(page.getRepetitionLevels()) + " " + text(page.getDefinitionLevels()) + " " + text(page.getData());
    }

    private static String text(BytesInput bytes) {
        ByteBuffer buffer = PageCodecs.onHeap(bytes);
        int from = buffer.arrayOffset() + buffer.position();
        return HexFormat.of().formatHex(buffer.array(), from, from + buffer.remaining());
    }

    @Test
    void damageShowsWhenItsPageIsReached() throws IOException {
        damageLastPage();
        try (FileChannel channel = FileChannel.open(file);
                ParquetStream rows = ParquetStream.ofAll(channel, new ParquetFooter(channel, "rows.parquet"))) {
            String failure = String.valueOf(
                    assertThrows(IOException.class, rows::readAllBytes).getMessage());
            assertTrue(failure.contains("a page does not match its checksum"), failure);
            Matcher row = Pattern.compile("row group 1 from row (\\d+) on").matcher(failure);
            assertTrue(row.find() && Integer.parseInt(row.group(1)) > 1, failure);
        }
    }

    /** Flips the last byte of a column, far from the first rows. */
    private void damageLastPage() throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ColumnChunkMetaData chunk = new ParquetFooter(channel, "rows.parquet")
                    .chunks(0).values().stream()
                            .filter(each -> each.getPath().toDotString().equals("text"))
                            .findFirst()
                            .orElseThrow();
            long last = chunk.getStartingPos() + chunk.getTotalSize() - 1;
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, last);
            one.put(0, (byte) (one.get(0) ^ 1)).rewind();
            channel.write(one, last);
        }
    }

    @Test
    void flippedBytesAreReadOrRefused() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        long end;
        try (FileChannel channel = FileChannel.open(file)) {
            end = new ParquetFooter(channel, "rows.parquet")
                    .chunks(1).values().stream()
                            .mapToLong(chunk -> chunk.getStartingPos() + chunk.getTotalSize())
                            .max()
                            .orElseThrow();
        }
        Path flipped = directory.resolve("flipped.parquet");
        int refused = 0;
        for (int i = 0; i < FLIPS; i++) {
            byte[] bytes = whole.clone();
            int at = 4 + random.nextInt((int) end - 4);
            bytes[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            Files.write(flipped, bytes);
            try (FileChannel channel = FileChannel.open(flipped);
                    ParquetStream rows = ParquetStream.ofAll(channel, new ParquetFooter(channel, "rows.parquet"))) {
                rows.readAllBytes();
            } catch (IOException | BadInputException e) {
                refused++;
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + SEED + ", byte " + at, e);
            }
        }
        // Every page has a checksum; some bytes of headers, such as those of statistics, are not read.
        assertTrue(refused > FLIPS / 2, refused + " of " + FLIPS);
    }

    @Test
    void pageThatMemoryDoesNotTakeIsRefused() throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            for (ColumnChunkMetaData chunk :
                    new ParquetFooter(channel, "rows.parquet").chunks(0).values()) {
                ColumnPages column = new ColumnPages(channel, chunk, 1, true, new PageBuffers(1));
                BadInputException refusal = assertThrows(BadInputException.class, () -> pages(column));
                assertTrue(String.valueOf(refusal.getMessage()).contains("-Xmx"), refusal.toString());
            }
        }
    }

    @Test
    void columnThatIsCutOffIsDamaged() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        Path cut = directory.resolve("cut.parquet");
        try (FileChannel channel = FileChannel.open(file)) {
            for (ColumnChunkMetaData chunk :
                    new ParquetFooter(channel, "rows.parquet").chunks(0).values()) {
                int end = (int) (chunk.getStartingPos() + random.nextLong(chunk.getTotalSize()));
                Files.write(cut, Arrays.copyOf(whole, end));
                try (FileChannel shorter = FileChannel.open(cut)) {
                    ColumnPages column = new ColumnPages(shorter, chunk, 100, true, new PageBuffers(1 << 20));
                    assertThrows(IllegalStateException.class, () -> pages(column));
                }
            }
        }
    }
}
