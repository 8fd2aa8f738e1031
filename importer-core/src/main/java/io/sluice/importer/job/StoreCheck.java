package io.sluice.importer.job;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexSum;
import io.sluice.importer.source.InputFile;
import java.io.IOException;
import java.util.List;

/** The last check before a table becomes visible: does the store hold what was handed over to it? */
record StoreCheck(ImportContext context, List<InputFile> inputs) {
    /** Holds the store to what was written; returns what the table adds up to. */
    List<IndexSum> hold(List<IndexSum> written) throws IOException, InterruptedException {
        ImportSession session = context.session();
        Verifier verifier = new Verifier(context.table());
        List<IndexSum> expected = written;
        // What an earlier attempt shipped and did not note was shipped again: only reading tells each KV once.
        boolean countable = !session.resumed();
        List<IndexSum> present =
                countable ? session.present() : session.readBack().indexes();
        boolean readBack = countable && context.settings().verification() == ImportSettings.Verification.FULL;
        if (Verifier.countsFallShort(written, present)) {
            // Keys came in several SSTs: rows that were repeated, or conflicts. Only the input can tell.
            expected = new RepeatSearch(context, inputs).run();
            readBack = true;
        } else {
            verifier.check("handed over", written, "in the store", present);
        }
        if (readBack && context.conflicts().conflicts() == 0) {
            verifier.check(
                    "handed over",
                    expected,
                    "read back from the store",
                    session.readBack().indexes());
        }
        return expected;
    }
}
