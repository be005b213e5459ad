/**
 * The dispatcher's name as an event processor: in the log, in checkpoints and in output for
 * operators.
 */
export const dispatcherName = 'webhook-dispatcher';
