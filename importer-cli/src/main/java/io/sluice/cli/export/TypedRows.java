package io.sluice.cli.export;

import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.kv.KvEncoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.Table;
import io.sluice.model.text.DatumParser;
import io.sluice.model.text.DatumProblem;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Text datums as typed rows, and the checksum of all of them: that of the KVs that an import would make of them for the
 * primary index. For one thread.
 */
final class TypedRows {
    private final List<Column> columns;
    private final List<DatumParser> parsers;
    private final Row row;
    private final IndexEncoder encoder;
    private final KvChecksum.Accumulator sum;
    private byte[] kv = new byte[4 << 10];

    TypedRows(Table table) {
        columns = table.def().columns();
        parsers = columns.stream().map(column -> DatumParser.of(column.type())).toList();
        row = new Row(columns.size());
        encoder = IndexEncoder.ofAll(table).get(0);
        sum = new KvChecksum.Accumulator(IndexDigest.of(table, 0));
    }

    /** Counts a row of one text datum per column, null for NULL. Returns it typed, valid until the next call. */
    Row add(List<@Nullable String> datums) {
        row.clear();
        for (int position = 0; position < parsers.size(); position++) {
            String text = datums.get(position);
            DatumProblem problem = text == null ? null : parsers.get(position).parse(text, row, position);
            if (problem != null) {
                throw new OperationFailedException("column "
                        + columns.get(position).name() + ": the store returned a text that " + problem.message());
            }
        }
        count(encoder);
        encoder.families().forEach(this::count);
        return row;
    }

    private void count(KvEncoder part) {
        int most = part.maxBytes(row);
        if (most > kv.length) {
            kv = new byte[most];
        }
        long lengths = part.encode(row, kv, 0);
        if (lengths != 0) {
            sum.add(kv, 0, (int) (lengths >>> Integer.SIZE), (int) lengths);
        }
    }

    /** The checksum of the rows so far. */
    KvChecksum sum() {
        return sum.sum();
    }
}
