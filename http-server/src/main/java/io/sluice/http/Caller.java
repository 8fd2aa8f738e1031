package io.sluice.http;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.util.AttributeKey;
import io.sluice.api.wire.ProblemKind;
import org.jspecify.annotations.Nullable;

/**
 * The holder of a token.
 *
 * @param name name of the token, for the audit log
 * @param role what it may do
 */
public record Caller(String name, Role role) {
    private static final AttributeKey<Caller> KEY = AttributeKey.valueOf(Caller.class, "CALLER");

    void sends(ServiceRequestContext ctx) {
        ctx.setAttr(KEY, this);
    }

    /** The sender of a request; null if it needed no token. */
    public static @Nullable Caller of(ServiceRequestContext ctx) {
        return ctx.attr(KEY);
    }

    /** Whether the sender of a request may do what needs a role. Without tokens every client may. */
    public static boolean may(ServiceRequestContext ctx, Role needed) {
        Caller caller = of(ctx);
        return caller == null || caller.role.includes(needed);
    }

    /**
     * The refusal of a request that needs a higher role than its sender has.
     *
     * @param what what needs it, such as {@code this request}
     */
    public static ProblemException refusal(ServiceRequestContext ctx, Role needed, String what) {
        Caller caller = of(ctx);
        return new ProblemException(
                ProblemKind.FORBIDDEN,
                (caller == null
                                ? "this"
                                : "token " + caller.name + " has role " + caller.role.label() + ", and " + what)
                        + " needs role " + needed.label()
                        + "; ask the operator of the service for a token with that role");
    }
}
