package io.sluice.cli.input;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;

/** Writes the input format as members of an import service's {@code ImportSpec}. */
public final class FormatMembers {
    private FormatMembers() {}

    /** Adds the members for the given options; the service has the same defaults. */
    public static void put(ObjectNode spec, FormatOptions format, CsvOptions csv, SourceOptions source) {
        ObjectNode members = spec.putObject("format");
        members.put("type", format.format);
        putCsv(members, csv);
        if (format.avroSchema != null) {
            members.put("avroSchema", FormatOptions.text(format.avroSchema, "--avro-schema " + format.avroSchema));
        }
        if (format.avroStrict) {
            members.put("avroStrict", true);
        }
        putSource(spec, source);
    }

    private static void putCsv(ObjectNode members, CsvOptions csv) {
        members.put("dialect", csv.dialect);
        if (csv.delimiter != null) {
            members.put("delimiter", csv.delimiter.toString());
        }
        if (csv.quote != null) {
            members.put("quote", csv.quote);
        }
        if (csv.escape != null) {
            members.put("escape", csv.escape);
        }
        if (csv.comment != null) {
            members.put("comment", csv.comment.toString());
        }
        if (csv.nullIf != null) {
            members.put("nullif", csv.nullIf);
        }
        if (csv.columns != null) {
            csv.columns.forEach(members.putArray("columns")::add);
        }
        members.put("header", csv.header);
        members.put("skip", csv.skip);
        members.put("rowLimit", csv.rowLimit);
        members.put("allowQuotedNull", csv.quotedNull);
        members.put("strictQuotes", csv.strictQuotes);
    }

    private static void putSource(ObjectNode spec, SourceOptions source) {
        if (!source.compression.equals("auto")) {
            spec.put("compression", source.compression);
        }
        if (!source.charset.equals(StandardCharsets.UTF_8.name())) {
            spec.put("charset", source.charset);
        }
        if (source.s3Endpoint == null && source.s3Region == null && !source.s3PathStyle) {
            return;
        }
        ObjectNode s3 = spec.putObject("s3");
        if (source.s3Endpoint != null) {
            s3.put("endpoint", source.s3Endpoint.toString());
        }
        if (source.s3Region != null) {
            s3.put("region", source.s3Region);
        }
        s3.put("pathStyle", source.s3PathStyle);
    }
}
