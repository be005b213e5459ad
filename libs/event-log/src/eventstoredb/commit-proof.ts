import { randomUUID } from 'node:crypto';
import { EventLogError, isEventLogError } from '../event-log-error.js';
import { readAnswer } from './append-answer.js';
import { openAppendLine } from './append-line.js';
import { appendRequest } from './append-request.js';
import type { Node } from './node.js';

/**
 * Has a node commit an append, which only the leader can do: a node that no longer leads can't
 * replicate it. The event is in a separate stream whose name lacks Refledger's prefix
 * (docs/adr/0029), so that no event processor sees it. Throws when it is not committed.
 */
export const commitProof = async (node: Node, timeoutMs: number): Promise<void> => {
  const line = await openAppendLine(node, () => undefined);
  try {
    const response = await line.send(appendRequest(proof()), timeoutMs);
    const { kind } = readAnswer(response, { bytes: 0, hosts: node.address });
    if (kind !== 'appended') throw new Error(`an append to a new stream was answered: ${kind}`);
  } catch (error) {
    if (!isEventLogError(error, 'unknown_outcome')) throw error;
    const message = `EventStoreDB at ${node.address} does not commit, so it may not lead`;
    throw new EventLogError({ kind: 'unavailable' }, message, { cause: error });
  } finally {
    line.end();
  }
};

/** Each proof has its own stream, so that it can expect 'no stream'. */
const proof = (): Parameters<typeof appendRequest>[0] => ({
  stream: `refledger-proof-${randomUUID()}`,
  expected: 'no stream',
  events: [{ id: randomUUID(), type: 'leader.proved', data: '{}', metadata: '{}' }],
});
