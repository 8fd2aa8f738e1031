package io.sluice.cli.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.Logger;

/**
 * Logback's configuration: standard error, Sluice from INFO, libraries from WARN. Standard output is for results.
 * Logback finds it as a service; a configuration file that is named with {@code -Dlogback.configurationFile} goes
 * first.
 */
public final class StderrLog extends ContextAwareBase implements Configurator {
    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty("logback.configurationFile") != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender(context, "%ex"));
        context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
        context.getLogger("io.sluice").setLevel(Level.INFO);
        // It warns of each connection to a node that is down, again and again; Sluice says once that it is.
        context.getLogger("org.apache.ratis.grpc.GrpcUtil").setLevel(Level.ERROR);
        // It has a stack trace for each client that speaks no TLS to a port with TLS; one line tells as much.
        ch.qos.logback.classic.Logger connections =
                context.getLogger("com.linecorp.armeria.server.HttpServerPipelineConfigurator");
        connections.setAdditive(false);
        connections.addAppender(appender(context, "%nopex"));
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /** The pattern of a line; control characters that a terminal would obey become question marks. */
    private static String pattern(String exceptions) {
        return "%d{yyyy-MM-dd'T'HH:mm:ss.SSS'Z',UTC} %-5level %logger{0} %replace(%msg%n" + exceptions
                + "){'[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]', '?'}";
    }

    private static ConsoleAppender<ILoggingEvent> appender(LoggerContext context, String exceptions) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern(pattern(exceptions));
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        return appender;
    }
}
