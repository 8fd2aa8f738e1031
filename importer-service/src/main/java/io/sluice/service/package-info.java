/** The import service: jobs that outlive the process, a REST API to create and watch them, and a console. */
@NullMarked
package io.sluice.service;

import org.jspecify.annotations.NullMarked;
