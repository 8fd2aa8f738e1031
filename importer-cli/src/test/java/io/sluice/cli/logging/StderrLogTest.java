package io.sluice.cli.logging;

import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StderrLogTest {
    /** A service logs names of tables and files that its clients choose. */
    @Test
    void foreignTextGivesNoOrdersToATerminal() {
        LoggerContext context = new LoggerContext();
        StderrLog log = new StderrLog();
        log.setContext(context);
        log.configure(context);
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        ConsoleAppender<ILoggingEvent> appender =
                (ConsoleAppender<ILoggingEvent>) root.iteratorForAppenders().next();
        String message = "table \u001b[31mred\u009b2J\rforged, two\n\tlines, Grün 表";
        Throwable failure = new IllegalStateException("\u001b[2J");
        failure.setStackTrace(new StackTraceElement[0]);
        LoggingEvent event = new LoggingEvent("", root, Level.INFO, message, failure, null);
        String line = new String(appender.getEncoder().encode(event), StandardCharsets.UTF_8);
        assertTrue(
                line.endsWith(
                        "table ?[31mred?2J?forged, two\n\tlines, Grün 表\njava.lang.IllegalStateException: ?[2J\n"),
                line);
        context.stop();
    }
}
