package io.sluice.model.schema;

import io.sluice.model.schema.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Splits a SQL file into statements of tokens, without comments.
 *
 * <p>Statements end at {@code ;}, at a line {@code GO} (SQL Server) and at the end. The lexer skips what is no
 * statement: commands of psql, rows after {@code COPY ... FROM stdin}, and the routines that mysqldump puts between
 * {@code DELIMITER} lines. The content of MySQL's executable comments, {@code /*!50100 ... *}{@code /}, is read.
 */
final class SqlLexer {
    /** Signs of MySQL and MariaDB, where a backslash escapes and {@code #} begins a comment. */
    private static final Pattern MYSQL = Pattern.compile(
            "/\\*M?!|^-- M(ySQL|ariaDB) dump|(?<![.(\"])\\bENGINE\\s*=\\s*\\w|\\bAUTO_INCREMENT\\b",
            Pattern.CASE_INSENSITIVE);

    /** Signs of SQLite. */
    private static final Pattern SQLITE = Pattern.compile(
            "^PRAGMA\\s+foreign_keys|\\bAUTOINCREMENT\\b|\\bWITHOUT\\s+ROWID\\b|\\)\\s*STRICT\\b"
                    + "|\\bsqlite_(sequence|schema|stat1)\\b",
            Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);

    private static final Pattern EXECUTABLE = Pattern.compile("/\\*M?!(\\d*)");

    /** The number of the line by which MariaDB's dumps switch on the sandbox mode of the client. */
    private static final String SANDBOX = "999999";

    private static final Pattern DOLLAR_QUOTE = Pattern.compile("\\$(?:[A-Za-z_]\\w*)?\\$");
    private static final Pattern GO = Pattern.compile("GO[ \\t]*\\d*[ \\t]*\\r?(\\n|$)", Pattern.CASE_INSENSITIVE);
    private static final Pattern LINE_DELIMITER =
            Pattern.compile("DELIMITER[ \\t]+(\\S+)[^\\n]*", Pattern.CASE_INSENSITIVE);
    private static final Pattern END_OF_ROUTINES =
            Pattern.compile("^[ \\t]*DELIMITER[ \\t]+;", Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);
    private static final Pattern END_OF_ROWS = Pattern.compile("^\\\\\\.\\r?$", Pattern.MULTILINE);

    /** A character by its number, after a backslash. */
    private static final Pattern CODE =
            Pattern.compile("([0-7]{1,3})|x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{4}|U[0-7][0-9A-Fa-f]{7}");

    private static final int MAX_ASCII = 0x7f;
    private static final int REPLACEMENT = 0xfffd;

    private static final Set<String> ROWS = Set.of("INSERT", "REPLACE", "VALUES");
    private static final Set<String> ROUTINES = Set.of("TRIGGER", "FUNCTION", "PROCEDURE", "EVENT");

    /** Words that END repeats, as in END IF; they do not close a block. */
    private static final Set<String> AFTER_END = Set.of("IF", "LOOP", "WHILE", "REPEAT");

    /** Tokens of {@code CREATE OR REPLACE RULE}. */
    private static final int RULE_TOKENS = 4;

    /** Tokens that are kept of a statement with rows. */
    private static final int KEPT_OF_ROWS = 8;

    private final String sql;
    private final DdlProblems problems;
    private final PassedOver passedOver;
    private final boolean mysql;
    private final List<List<Token>> statements = new ArrayList<>();
    private List<Token> statement = new ArrayList<>();
    private int at;
    private boolean inExecutable;

    /** Depth of BEGIN blocks in the body of a routine, where a semicolon does not end the statement. */
    private int blocks;

    private boolean routine;

    private SqlLexer(String sql, DdlProblems problems, PassedOver passedOver) {
        this.sql = sql;
        this.problems = problems;
        this.passedOver = passedOver;
        mysql = MYSQL.matcher(sql).find();
    }

    static List<List<Token>> statements(String sql, DdlProblems problems, PassedOver passedOver) {
        SqlLexer lexer = new SqlLexer(sql, problems, passedOver);
        lexer.run();
        return lexer.statements;
    }

    /** Whether REAL has 8 bytes in the system that wrote the text: in SQLite, MySQL and MariaDB. */
    static boolean hasWideReal(String sql) {
        return MYSQL.matcher(sql).find() || isSqlite(sql);
    }

    static boolean isSqlite(String sql) {
        return SQLITE.matcher(sql).find();
    }

    private void run() {
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (Character.isWhitespace(c) || c == '\uFEFF') {
                at++;
            } else if (!skipLines(c) && !skipComment(c)) {
                token(c);
            }
        }
        if (blocks > 0) {
            throw problems.at(
                    statement.get(0).place(),
                    "the body that begins here has a BEGIN without END; close it or leave it out");
        }
        endStatement();
    }

    private void token(char c) {
        Matcher dollar = c == '$' ? DOLLAR_QUOTE.matcher(sql).region(at, sql.length()) : null;
        if (c == '"' || c == '`') {
            quotedName(c);
        } else if (c == '[' && isBracketName()) {
            quotedName(']');
        } else if (c == '\'') {
            string(at, mysql);
        } else if (dollar != null && dollar.lookingAt()) {
            int end = sql.indexOf(dollar.group(), dollar.end());
            if (end < 0) {
                throw unclosed(at, "text");
            }
            add(
                    new Token(Kind.STRING, "'" + sql.substring(dollar.end(), end) + "'", at),
                    end + dollar.group().length());
        } else if (Character.isLetter(c) || c == '_') {
            word();
        } else if (Character.isDigit(c) || (c == '.' && beginsFraction())) {
            add(Kind.NUMBER, numberEnd());
        } else if (c == ';' && blocks == 0 && !isInRule()) {
            at++;
            endStatement();
        } else {
            add(Kind.SYMBOL, at + 1);
        }
    }

    /** Whether the point at the position begins a number, and is none between two names. */
    private boolean beginsFraction() {
        boolean afterName =
                at > 0 && (Character.isLetterOrDigit(sql.charAt(at - 1)) || "_\"`]".indexOf(sql.charAt(at - 1)) >= 0);
        return !afterName && at + 1 < sql.length() && Character.isDigit(sql.charAt(at + 1));
    }

    private int numberEnd() {
        int end = whileIn(".");
        boolean exponent = sql.substring(at, end).matches("[0-9.]+[eE]")
                && end + 1 < sql.length()
                && (sql.charAt(end) == '-' || sql.charAt(end) == '+')
                && Character.isDigit(sql.charAt(end + 1));
        if (exponent) {
            end++;
            while (end < sql.length() && Character.isDigit(sql.charAt(end))) {
                end++;
            }
        }
        return end;
    }

    private void word() {
        int end = whileIn("_$#@");
        boolean prefix = end < sql.length()
                && sql.charAt(end) == '\''
                && (end == at + 1 ? "nebNEB".indexOf(sql.charAt(at)) >= 0 : sql.charAt(at) == '_');
        if (prefix) {
            string(end, mysql || Character.toLowerCase(sql.charAt(at)) == 'e');
        } else {
            add(Kind.WORD, end);
        }
    }

    private void add(Kind kind, int end) {
        add(new Token(kind, sql.substring(at, end), at), end);
    }

    private void add(Token token, int end) {
        at = end;
        Token previous = statement.isEmpty() ? null : statement.get(statement.size() - 1);
        if (token.kind() == Kind.WORD && previous != null) {
            countBlocks(token.text().toUpperCase(Locale.ROOT), previous.isWord("END"));
        }
        if (statement.size() < KEPT_OF_ROWS || !startsWith(ROWS)) {
            statement.add(token);
        }
    }

    private void countBlocks(String word, boolean afterEnd) {
        routine |= ROUTINES.contains(word) && startsWith(Set.of("CREATE", "ALTER")) && !isTable();
        if (!routine) {
            return;
        }
        if (word.equals("BEGIN") || (afterEnd && AFTER_END.contains(word))) {
            blocks++;
        } else if (blocks > 0 && word.equals("CASE") && !afterEnd) {
            blocks++;
        } else if (blocks > 0 && word.equals("END")) {
            blocks--;
        }
    }

    private boolean startsWith(Set<String> words) {
        return !statement.isEmpty()
                && words.contains(statement.get(0).text().toUpperCase(Locale.ROOT))
                && statement.get(0).kind() == Kind.WORD;
    }

    private boolean isTable() {
        return statement.size() > 1
                && (statement.get(1).isWord("TABLE") || statement.stream().anyMatch(t -> t.isSymbol('(')));
    }

    /** Whether the position is between the parentheses of CREATE RULE, which enclose statements. */
    private boolean isInRule() {
        return startsWith(Set.of("CREATE"))
                && statement.stream().limit(RULE_TOKENS).anyMatch(token -> token.isWord("RULE"))
                && statement.stream()
                                .mapToInt(token -> token.isSymbol('(') ? 1 : token.isSymbol(')') ? -1 : 0)
                                .sum()
                        > 0;
    }

    private void endStatement() {
        boolean rows = startsWith(Set.of("COPY")) && statement.stream().anyMatch(token -> token.isWord("STDIN"));
        if (!statement.isEmpty()) {
            statements.add(statement);
        }
        statement = new ArrayList<>();
        blocks = 0;
        routine = false;
        if (rows) {
            Matcher end = END_OF_ROWS.matcher(sql);
            if (!end.find(at)) {
                throw problems.at(
                        at, "the rows of COPY that begin here have no end; \\. on a line of its own ends them");
            }
            at = end.end();
        }
    }

    /** Skips a line that is no SQL: a command of psql, mysql or sqlcmd. */
    private boolean skipLines(char c) {
        if (statement.isEmpty() && c == '\\') {
            passedOver.add("psql command");
            at = endOfLine();
            return true;
        }
        Matcher delimiter = LINE_DELIMITER.matcher(sql).region(at, sql.length());
        if (statement.isEmpty() && delimiter.lookingAt()) {
            at = delimiter.end();
            if (!delimiter.group(1).equals(";")) {
                passedOver.add("block of routines between DELIMITER lines");
                Matcher end = END_OF_ROUTINES.matcher(sql);
                at = end.find(at) ? end.end() : sql.length();
            }
            return true;
        }
        boolean lineStart = sql.substring(sql.lastIndexOf('\n', at - 1) + 1, at).isBlank();
        Matcher go = GO.matcher(sql).region(at, sql.length());
        if (lineStart && (c == 'g' || c == 'G') && go.lookingAt()) {
            at = go.end();
            endStatement();
            return true;
        }
        return false;
    }

    private boolean skipComment(char c) {
        if (sql.startsWith("--", at) || (c == '#' && mysql)) {
            at = endOfLine();
            return true;
        }
        if (inExecutable && sql.startsWith("*/", at)) {
            inExecutable = false;
            at += 2;
            return true;
        }
        if (!sql.startsWith("/*", at)) {
            return false;
        }
        Matcher executable = EXECUTABLE.matcher(sql).region(at, sql.length());
        if (executable.lookingAt() && !executable.group(1).equals(SANDBOX)) {
            inExecutable = true;
            at = executable.end();
            return true;
        }
        at = commentEnd();
        return true;
    }

    /**
     * End of a comment. PostgreSQL and SQL Server nest comments; a comment that is open otherwise ends at the first
     * end.
     */
    private int commentEnd() {
        int depth = 0;
        for (int i = at; i + 1 < sql.length(); i++) {
            if (sql.startsWith("/*", i)) {
                depth++;
                i++;
            } else if (sql.startsWith("*/", i)) {
                depth--;
                i++;
                if (depth == 0 || mysql) {
                    return i + 1;
                }
            }
        }
        int first = sql.indexOf("*/", at + 2);
        if (first < 0) {
            throw unclosed(at, "comment");
        }
        return first + 2;
    }

    private int endOfLine() {
        int newline = sql.indexOf('\n', at);
        return newline < 0 ? sql.length() : newline;
    }

    private int whileIn(String more) {
        int end = at + 1;
        while (end < sql.length()
                && (Character.isLetterOrDigit(sql.charAt(end)) || more.indexOf(sql.charAt(end)) >= 0)) {
            end++;
        }
        return end;
    }

    /** Whether a bracket encloses a name of SQL Server or SQLite; otherwise it belongs to an array. */
    private boolean isBracketName() {
        int end = sql.indexOf(']', at);
        if (end < 0 || sql.substring(at, end).indexOf('\n') >= 0) {
            return false;
        }
        String inside = sql.substring(at + 1, end);
        boolean array =
                !statement.isEmpty() && statement.get(statement.size() - 1).isWord("ARRAY");
        return !array && !inside.isBlank() && inside.indexOf('\'') < 0 && !inside.matches("[0-9]+");
    }

    /** Reads a quoted name, in which a doubled quote stands for one. */
    private void quotedName(char closing) {
        int end = at;
        do {
            end = sql.indexOf(closing, end + 1);
            if (end >= 0 && end + 1 < sql.length() && sql.charAt(end + 1) == closing) {
                end++;
            } else {
                break;
            }
        } while (true);
        if (end < 0) {
            throw unclosed(at, "quoted name");
        }
        if (end == at + 1) {
            throw problems.at(at, "a name is empty; write something between the quotes");
        }
        add(Kind.QUOTED_NAME, end + 1);
    }

    /** Reads a string whose quote is at {@code open}. */
    private void string(int open, boolean escapes) {
        StringBuilder value = new StringBuilder("'");
        for (int i = open + 1; i < sql.length(); i++) {
            char c = sql.charAt(i);
            if (escapes && c == '\\' && i + 1 < sql.length()) {
                i = mysql ? mysqlEscape(i + 1, value) : escape(i + 1, value);
            } else if (c != '\'') {
                value.append(c);
            } else if (i + 1 < sql.length() && sql.charAt(i + 1) == '\'') {
                i++;
                value.append(c);
            } else {
                add(new Token(Kind.STRING, value.append('\'').toString(), at), i + 1);
                return;
            }
        }
        throw unclosed(open, "string");
    }

    /** Adds what MySQL reads for the character after a backslash; returns its position. */
    private int mysqlEscape(int escaped, StringBuilder value) {
        char c = sql.charAt(escaped);
        int known = "nrtb0Z".indexOf(c);
        // Before a wildcard of LIKE, the backslash stays.
        value.append(c == '%' || c == '_' ? "\\" : "").append(known < 0 ? c : "\n\r\t\b\0\u001a".charAt(known));
        return escaped;
    }

    /** Adds what PostgreSQL reads for what follows a backslash in {@code E'...'}; returns its last position. */
    private int escape(int escaped, StringBuilder value) {
        Matcher code = CODE.matcher(sql).region(escaped, sql.length());
        if (!code.lookingAt()) {
            char c = sql.charAt(escaped);
            int known = "nrtbf".indexOf(c);
            value.append(known < 0 ? c : "\n\r\t\b\f".charAt(known));
            return escaped;
        }
        String octal = code.group(1);
        int character = octal == null ? Integer.parseInt(code.group().substring(1), 16) : Integer.parseInt(octal, 8);
        boolean isByte = octal != null || sql.charAt(escaped) == 'x';
        boolean valid = character > 0 && character <= (isByte ? MAX_ASCII : Character.MAX_CODE_POINT);
        // Rows and other statements that are passed over need no value.
        if (!valid && startsWith(Set.of("CREATE", "ALTER"))) {
            throw problems.at(
                    escaped - 1,
                    "the escape \\" + code.group() + " is no character of its own; write the character itself");
        }
        value.appendCodePoint(valid ? character : REPLACEMENT);
        return code.end() - 1;
    }

    private RuntimeException unclosed(int place, String what) {
        return problems.at(place, "the " + what + " that begins here is never closed; add its end");
    }
}
