package io.sluice.importer.decode.input;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** File formats that cannot be imported, recognised by their first bytes, with what to do instead. */
public enum ForeignFormat {
    PARQUET("PAR1", 0, "a Parquet file", "read it with --format parquet"),
    ORC("ORC", 0, "an ORC file", "convert it to CSV or Avro"),
    ARROW("ARROW1", 0, "an Arrow file", "convert it to CSV or Avro"),
    SQLITE("SQLite format 3\0", 0, "an SQLite database", "export its table as CSV"),
    POSTGRESQL_BINARY("PGCOPY\n", 0, "binary output of PostgreSQL's COPY", "export it with FORMAT csv or text"),
    POSTGRESQL_DUMP("PGDMP", 0, "a dump of pg_dump's custom format", "export the table with COPY … TO"),
    POSTGRESQL_SCRIPT("--\n-- PostgreSQL database dump", 0, "a dump of pg_dump", "export the table with COPY … TO"),
    MYSQL_SCRIPT("-- MySQL dump", 0, "a dump of mysqldump", "export the table with mysqldump --tab"),
    MARIADB_SCRIPT("/*M!999999", 0, "a dump of mariadb-dump", "export the table with mariadb-dump --tab"),
    SQLITE_SCRIPT("PRAGMA foreign_keys=OFF;", 0, "a dump of sqlite3", "export the table with .mode csv"),
    SQL("INSERT INTO ", 0, "a file of SQL statements", "export the table as CSV"),
    ZIP("PK\3\4", 0, "a zip archive or an Excel workbook", "unpack it, or save its sheet as CSV"),
    EXCEL("\u00d0\u00cf\u0011\u00e0", 0, "an Excel workbook", "save its sheet as CSV"),
    SEVEN_ZIP("7z\u00bc\u00af", 0, "a 7z archive", "unpack it"),
    RAR("Rar!", 0, "a rar archive", "unpack it"),
    TAR("ustar", 257, "a tar archive", "unpack it"),
    XML("<?xml", 0, "an XML document", "convert it to CSV or JSON"),
    HTML("<!DOCTYPE", 0, "an HTML page", "get the file itself"),
    PDF("%PDF-", 0, "a PDF document", "export the data as CSV"),
    JSON("{", 0, "JSON", "read it with --format jsonl"),
    JSON_ARRAY("[{", 0, "a JSON array", "read it with --format json");

    /**
     * The first tag of a document without a declaration, before another tag or the end. Text after the tag may be a
     * field of CSV that has tags.
     */
    private static final Pattern TAG = Pattern.compile("<(?:!--|[A-Za-z_][\\w.:-]{0,127}"
            + "(?:\\s+[\\w.:-]+\\s*=\\s*(?:\"[^\"]*\"|'[^']*')){0,100}\\s*/?>\\s*(?:<|$))");

    /** The first statement of a script, after comments. */
    private static final Pattern STATEMENT = Pattern.compile(
            "(?is)\\s*+(?>(?>--[^\\n]*\\n|/\\*.{0,200}?\\*/;?)\\s*+){0,100}+"
                    + "(?:CREATE\\s+(?:TEMPORARY\\s+|UNLOGGED\\s+)?TABLE|CREATE\\s+DATABASE|DROP\\s+TABLE)\\s+[\\w\"`'\\[]");

    private static final String UTF_8_MARK = "\u00ef\u00bb\u00bf";
    private static final String HTML_TAG = "<html";

    /** The bytes as characters of ISO 8859-1. */
    private final String magic;

    private final int offset;
    private final String description;
    private final String advice;

    ForeignFormat(String magic, int offset, String description, String advice) {
        this.magic = magic;
        this.offset = offset;
        this.description = description;
        this.advice = advice;
    }

    /** The format of a file that begins with these bytes, or null. */
    public static @Nullable ForeignFormat of(byte[] head) {
        String start = new String(head, StandardCharsets.ISO_8859_1);
        for (ForeignFormat format : values()) {
            if (start.startsWith(format.magic, format.offset)) {
                return format;
            }
        }
        String text = (start.startsWith(UTF_8_MARK) ? start.substring(UTF_8_MARK.length()) : start).stripLeading();
        if (begins(text, HTML.magic) || begins(text, HTML_TAG)) {
            return HTML;
        }
        if (STATEMENT.matcher(text).lookingAt()) {
            return SQL;
        }
        return begins(text, XML.magic) || TAG.matcher(text).lookingAt() ? XML : null;
    }

    private static boolean begins(String text, String word) {
        return text.regionMatches(true, 0, word, 0, word.length());
    }

    /** The kind of the file, and what to do with it, for a message that begins with the file's name. */
    public String remark() {
        return "is " + description + "; " + advice;
    }

    /** The kind of the file, and what to do with it. */
    public String advice() {
        return "It is " + description + ": " + advice;
    }
}
