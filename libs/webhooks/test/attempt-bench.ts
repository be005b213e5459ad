import { derivedId, type Position, type ResponseExcerpt } from '@refledger/contracts';
import { AttemptSender, type AttemptSenderOptions } from '../src/sending/attempt-sender.js';
import type { DeliveryOpener } from '../src/sending/delivery-opener.js';
import type { SendRequest, SendResult } from '../src/sending/sender.js';
import type { ClaimedDelivery } from '@refledger/delivery-store';
import { endpointVersion, ManualClock } from '@refledger/webhook-endpoints/testing';

export const exchanged = { durationMs: 1, address: '203.0.113.7', response: null };

export const endpoint = endpointVersion();
export const delivery: ClaimedDelivery = {
  id: derivedId('delivery', '1'),
  accountId: derivedId('account', '1'),
  endpointId: derivedId('endpoint', '1'),
  eventId: derivedId('event', '1'),
  eventType: 'conversion.created',
  objectId: derivedId('conversion', '1'),
  trigger: 'event',
  position: '5' as Position,
  decidedAt: '5' as Position,
  payload: 'full',
  body: '{}',
  attempt: 1,
  earlierFailures: 0,
  unknownBefore: 0,
};

/** Test double: nothing is sealed. A delivery without a body has an event that was skipped. */
export const plainOpener: Pick<DeliveryOpener, 'open'> = {
  open: ({ body }) =>
    Promise.resolve(
      body === null
        ? 'skipped'
        : { body, seal: (response) => Promise.resolve(response && JSON.stringify(response)) },
    ),
};

export const attempt = (
  response: Partial<Extract<SendResult, { kind: 'answered' }>> | string,
  options: Partial<AttemptSenderOptions> = {},
  about: Partial<ClaimedDelivery> = {},
) => {
  const requests: SendRequest[] = [];
  const clock = new ManualClock(0);
  const send = (request: SendRequest): Promise<SendResult> => {
    requests.push(request);
    clock.advance(1_000);
    return Promise.resolve(
      typeof response === 'string'
        ? { kind: 'failed', outcome: 'connection', error: response, ...exchanged }
        : { kind: 'answered', status: 200, ...exchanged, ...response },
    );
  };
  const attempts = new AttemptSender({
    sender: { send },
    secretBox: { open: () => 'a secret of the client' },
    opener: plainOpener,
    clock,
    schedule: [10_000, 20_000],
    timeoutMs: 5_000,
    version: '1',
    endpoints: { latest: () => endpoint },
    disabler: { disable: () => Promise.resolve(true) },
    health: { disableIfDue: () => Promise.resolve() },
    signal: new AbortController().signal,
    ...options,
  });
  return attempts.send({ ...delivery, ...about }).then(({ result, sent, recordedAt }) => ({
    ...result,
    response: excerptIn(result.attempt?.sealedResponse),
    sent,
    recordedAt,
    requests,
  }));
};
export const at = (ms: number) => new Date(ms).toISOString();

const excerptIn = (text: string | null | undefined): ResponseExcerpt | undefined =>
  text == null ? undefined : (JSON.parse(text) as ResponseExcerpt);
