package io.sluice.client.cluster;

import io.sluice.api.node.IngestReport;
import java.util.List;

/** Combines the ingest reports of all nodes: sums, and the maximum of heights, times and buffers. */
final class Reports {
    private Reports() {}

    static IngestReport together(List<IngestReport> reports) {
        int ssts = 0;
        long puts = 0;
        int maxHeight = 0;
        int l0Files = 0;
        long bytesIngested = 0;
        long bytesWritten = 0;
        double compactSeconds = 0;
        long peakBufferBytes = 0;
        for (IngestReport report : reports) {
            ssts += report.ssts();
            puts += report.puts();
            maxHeight = Math.max(maxHeight, report.maxHeight());
            l0Files += report.l0Files();
            bytesIngested += report.bytesIngested();
            bytesWritten += report.bytesWritten();
            compactSeconds = Math.max(compactSeconds, report.compactSeconds());
            peakBufferBytes = Math.max(peakBufferBytes, report.peakBufferBytes());
        }
        return new IngestReport(
                ssts, puts, maxHeight, l0Files, bytesIngested, bytesWritten, compactSeconds, peakBufferBytes);
    }
}
