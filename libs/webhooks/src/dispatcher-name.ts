/** The dispatcher's name as an event processor: in the log, in checkpoints and in what operators read. */
export const dispatcherName = 'webhook-dispatcher';
