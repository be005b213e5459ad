/**
 * The dispatcher's name as an event processor: in the log, in checkpoints and in output for
 * operators.
 */
export const dispatcherName = 'webhook-dispatcher';

/**
 * The holder of leases in a data directory. Only one process at a time uses a data directory, so a
 * start may take over the leases of this holder immediately.
 */
export const exclusiveHolder = 'standalone';
