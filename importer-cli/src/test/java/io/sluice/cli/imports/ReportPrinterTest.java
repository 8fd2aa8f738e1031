package io.sluice.cli.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.importer.job.ImportReport;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportPrinterTest {
    private static final ImportReport REPORT = report(0);

    @Test
    void forPeople() {
        assertEquals("""
                imported 999,998 rows into stock in 2.00 s (500k rows/s, 153 MB/s), mode merge
                  rejected  2 of 1,000,000 rows: syntax 2; they are in bad
                  kvs       primary 999,998, stock_item_idx 999,998
                  store     12 SSTs, 0 puts, height 1, 0 files in level 0, write amplification 1.00
                  time      import 1.50 s, compact 0.40 s, verify 0.10 s; limited by cpu
                  warning   a warning
                  digest    0123-4567 (verified)""", String.join("\n", ReportPrinter.text(REPORT)));
    }

    /** The seconds are those of the last run, and so are the bytes of the rate. */
    @Test
    void ratesAreThoseOfTheLastRun() {
        assertEquals(
                "imported 999,998 rows into stock in 2.00 s (3.00 MB/s after 300 MB of an earlier run), mode merge",
                ReportPrinter.text(report(300_000_000)).get(0));
    }

    @Test
    void forPrograms() {
        assertEquals(
                "{\"table\":\"stock\",\"state\":\"succeeded_with_rejects\",\"mode\":\"merge\",\"rowsRead\":1000000,"
                        + "\"rowsImported\":999998,\"rowsRejected\":2,\"duplicates\":0,\"conflicts\":0,"
                        + "\"kvs\":{\"primary\":999998,\"stock_item_idx\":999998},\"bytesRead\":306000000,"
                        + "\"seconds\":{\"import\":1.5,\"compact\":0.4,\"verify\":0.1,\"total\":2.0},\"stages\":{\"decode\":1.25},"
                        + "\"ssts\":12,\"puts\":0,\"maxHeight\":1,\"l0Files\":0,\"writeAmplification\":1.0,"
                        + "\"spilledBytes\":1024,\"verified\":true,\"digest\":\"0123-4567\",\"limiter\":\"cpu\","
                        + "\"peakBufferBytes\":0,\"bytesReadBefore\":0,\"rowsDropped\":0,\"rowsReplaced\":0,"
                        + "\"rejected\":{\"byReason\":{\"syntax\":2},\"bundle\":\"bad\"},\"warnings\":[\"a warning\"]}",
                ReportPrinter.json(REPORT));
    }

    /** Nodes, the service and its clients keep and read the report in this form. */
    @Test
    void reportIsOneFlatObject() throws IOException {
        String json =
                "{\"table\":\"stock\",\"state\":\"succeeded_with_rejects\",\"mode\":\"merge\",\"rowsRead\":1000000,"
                        + "\"rowsImported\":999998,\"rowsRejected\":2,\"duplicates\":0,\"conflicts\":0,"
                        + "\"kvs\":{\"primary\":999998,\"stock_item_idx\":999998},\"bytesRead\":306000000,"
                        + "\"seconds\":{\"import\":1.5,\"compact\":0.4,\"verify\":0.1,\"total\":2.0},"
                        + "\"ssts\":12,\"puts\":0,\"maxHeight\":1,\"l0Files\":0,\"writeAmplification\":1.0,"
                        + "\"spilledBytes\":1024,\"verified\":true,\"digest\":\"0123-4567\",\"stages\":{\"decode\":1.25},"
                        + "\"limiter\":\"cpu\",\"sample\":null,\"peakBufferBytes\":0,\"bytesReadBefore\":0,\"rowsDropped\":0,\"rowsReplaced\":0,"
                        + "\"rejected\":{\"byReason\":{\"syntax\":2},\"bundle\":\"bad\"},\"warnings\":[\"a warning\"]}";
        assertEquals(json, new JsonMapper().writeValueAsString(REPORT));
        assertEquals(REPORT, new JsonMapper().readValue(json, ImportReport.class));
    }

    @Test
    void theModeSaysWhy() {
        assertTrue(ReportPrinter.text(REPORT, "one node").contains("  mode      merge: one node"));
        assertTrue(ReportPrinter.json(REPORT, "one node").contains("\"mode\":\"merge\",\"modeWhy\":\"one node\""));
    }

    private static ImportReport report(long bytesBefore) {
        Map<String, Long> kvs = new LinkedHashMap<>();
        kvs.put("primary", 999_998L);
        kvs.put("stock_item_idx", 999_998L);
        Map<String, Double> seconds = new LinkedHashMap<>();
        seconds.put("import", 1.5);
        seconds.put("compact", 0.4);
        seconds.put("verify", 0.1);
        seconds.put("total", 2.0);
        return new ImportReport(
                "stock",
                new ImportReport.Outcome("succeeded_with_rejects", "merge", null, List.of("a warning")),
                new ImportReport.Rows(
                        1_000_000, 999_998, 2, 0, 0, 0, 0, new ImportReport.Rejects(Map.of("syntax", 2L), "bad")),
                kvs,
                new ImportReport.Bytes(306_000_000, 1024, 0, bytesBefore),
                new ImportReport.Store(12, 0, 1, 0, 1.0),
                new ImportReport.Times(seconds, Map.of("decode", 1.25), "cpu"),
                "0123-4567");
    }
}
