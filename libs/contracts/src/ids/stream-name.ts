/** The prefix of every stream of Refledger. Processors filter by it. */
export const streamPrefix = 'refledger.';

/** The name of a stream, which holds all events of one aggregate. */
export type StreamName = `refledger.${string}`;

/** Whether this is the name of one of Refledger's streams. */
export const isStreamName = (name: string): name is StreamName => name.startsWith(streamPrefix);
