package io.sluice.client;

import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.ClientFactoryBuilder;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.CommonPools;
import io.sluice.model.error.BadInputException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The pooled connections to one server. They use HTTP/1.1, so that every upload has its own connection: uploads on one
 * HTTP/2 connection share its window, and a slow one blocks the others. Thread-safe.
 *
 * <p>A request may take any time, and its answer may have any size, unless its options say otherwise. Only a write that
 * takes longer than {@link RemoteSettings#answerMillis} fails. The token is not sent by itself.
 */
public final class Connections implements AutoCloseable {
    /** Less than the minute after which a node closes an idle connection. */
    private static final long IDLE_MILLIS = 45_000;
    /** Most time that threads without work get to end. */
    private static final long END_MILLIS = 200;

    /** Whether the threads that all connections share were started. */
    private static final AtomicBoolean USED = new AtomicBoolean();

    private final ClientFactory factory;
    private final WebClient client;

    /**
     * Creates connections; the first request opens one.
     *
     * @param connectMillis time after which opening a connection fails
     * @throws BadInputException if the file of certificates to trust has none
     */
    public Connections(RemoteSettings settings, long connectMillis) {
        USED.set(true);
        ClientFactoryBuilder builder =
                ClientFactory.builder().connectTimeoutMillis(connectMillis).idleTimeoutMillis(IDLE_MILLIS);
        Path trusted = settings.trusted();
        if (trusted != null) {
            builder.tlsCustomizer(tls -> {
                try {
                    tls.trustManager(trusted.toFile());
                } catch (IllegalArgumentException e) {
                    throw new BadInputException(trusted + ": has no certificate to trust; it must be PEM", e);
                }
            });
        }
        factory = builder.build();
        client = WebClient.builder((settings.secure() ? "h1://" : "h1c://") + settings.name())
                .factory(factory)
                .writeTimeoutMillis(settings.patience().answerMillis())
                .responseTimeoutMillis(0)
                .maxResponseLength(0)
                .build();
    }

    /**
     * Ends the threads that all connections of the process share, just before the process ends. The JVM waits 0.3 s for
     * threads in native code ({@code VM_Exit::wait_for_threads_in_native_to_block}), where these wait for the network.
     */
    public static void endThreads() {
        if (USED.get()) {
            boolean unused = CommonPools.workerGroup()
                    .shutdownGracefully(0, 0, TimeUnit.MILLISECONDS)
                    .awaitUninterruptibly(END_MILLIS);
        }
    }

    /** Sends requests over these connections. */
    public WebClient client() {
        return client;
    }

    /** Closes the connections without waiting, for threads that must not block. */
    public void closeSoon() {
        var unused = factory.closeAsync();
    }

    /** Closes the connections; requests without an answer fail. */
    @Override
    public void close() {
        factory.close();
    }
}
