package io.sluice.sql.query;

import io.sluice.grammar.Expression;
import io.sluice.grammar.Statement.Output;
import io.sluice.model.schema.ColumnType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The columns of a result, as values and as texts. Thread-safe. */
public final class Outputs {
    private final List<Scalar> scalars;
    private final List<ColumnType> types;

    public Outputs(List<Output> outputs) {
        scalars = outputs.stream().map(output -> Scalar.of(output.value())).toList();
        types = outputs.stream().map(Output::value).map(Expression::type).toList();
    }

    @Nullable
    Object[] values(@Nullable Object[] input) {
        @Nullable Object[] values = new Object[scalars.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = scalars.get(i).of(input);
        }
        return values;
    }

    /** Formats a row of the result. */
    List<@Nullable String> texts(@Nullable Object[] values) {
        List<@Nullable String> texts = new ArrayList<>(types.size());
        for (int i = 0; i < types.size(); i++) {
            texts.add(Datums.text(values[i], types.get(i)));
        }
        return Collections.unmodifiableList(texts);
    }

    /** Computes and formats a row of the result. */
    public List<@Nullable String> of(@Nullable Object[] input) {
        return texts(values(input));
    }
}
