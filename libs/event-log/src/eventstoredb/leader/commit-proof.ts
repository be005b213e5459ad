import { randomUUID } from 'node:crypto';
import { isEventLogError, unavailable } from '../../event-log-error.js';
import { readResponse } from '../appending/append-response.js';
import { openBatchAppender } from '../appending/batch-appender.js';
import { appendRequest } from '../appending/append-request.js';
import type { Node } from '../node.js';

/**
 * Has a node commit an append, which only the leader can do: a node that no longer leads can't
 * replicate it. The event is in a separate stream whose name lacks Refledger's prefix
 * (docs/adr/0029), so that no event processor sees it. Throws when it is not committed.
 */
export const commitProof = async (node: Node, timeoutMs: number): Promise<void> => {
  const appender = await openBatchAppender(node, () => undefined);
  try {
    const response = await appender.send(appendRequest(proof()), timeoutMs);
    const { kind } = readResponse(response, { bytes: 0, hosts: node.address });
    if (kind !== 'appended')
      throw new Error(`unexpected answer to an append to a new stream: ${kind}`);
  } catch (error) {
    if (!isEventLogError(error, 'unknown_outcome')) throw error;
    const message = `EventStoreDB at ${node.address} does not commit, so it might not be the leader`;
    throw unavailable(message, { cause: error });
  } finally {
    appender.end();
  }
};

/** Each proof has its own stream, so that it can expect 'no stream'. */
const proof = (): Parameters<typeof appendRequest>[0] => ({
  stream: `refledger-proof-${randomUUID()}`,
  expected: 'no stream',
  events: [{ id: randomUUID(), type: 'leader.proved', data: '{}', metadata: '{}' }],
});
