import { toInstant, type AccountId, type EndpointId } from '@refledger/contracts';
import { messageOf } from '@refledger/event-log';
import type { Clock } from './clock.js';
import type { Attempt, AttemptOutcome, AttemptResult, PlannedDelivery } from './delivery-store.js';
import type { EndpointVersion } from './endpoint-version.js';
import { nextAttemptAt } from './retry-schedule.js';
import type { SecretBox } from './secret-box.js';
import type { SendResult, Sender } from './sender.js';
import { deliveryHeaders, signingKeys, type SigningKeys } from './signature.js';

/** A delivery whose attempt is written as started: it may be sent. */
export interface StartedDelivery extends Pick<
  PlannedDelivery,
  'id' | 'accountId' | 'endpointId' | 'eventId' | 'eventType' | 'body'
> {
  /** Which attempt this is, from 1. */
  readonly attempt: number;
  /** How many attempts before it have failed, as far as is known: where it stands in the retry schedule. */
  readonly earlierFailures: number;
}

export interface CourierOptions {
  readonly sender: Pick<Sender, 'send'>;
  readonly secretBox: Pick<SecretBox, 'open'>;
  readonly clock: Clock;
  /** Waits between attempts in milliseconds. */
  readonly schedule: readonly number[];
  readonly timeoutMs: number;
  /** Of this service. */
  readonly version: string;
  /** The version of an endpoint that is known to hold now; undefined for one that is not subscribed. */
  readonly latest: (endpoint: EndpointId) => EndpointVersion | undefined;
  /** An endpoint said that it is gone for good: disables the version that was used. Answers whether the endpoint is disabled now. */
  readonly onGone: (endpoint: {
    readonly accountId: AccountId;
    readonly endpointId: EndpointId;
    readonly version: number;
  }) => Promise<boolean>;
  /** Aborts when the service ends: requests under way are cut off, with an unknown outcome. */
  readonly signal: AbortSignal;
}

/** What one attempt came to. `sent` is missing when nothing was sent. */
export interface Attempted {
  readonly result: AttemptResult;
  readonly sent?: SendResult;
}

/** Makes one attempt: to the latest known target, signed with the latest known secret; or cancels, when the endpoint takes no more. Never rejects. */
export const courier = ({
  sender,
  secretBox,
  clock,
  schedule,
  timeoutMs,
  version,
  latest,
  onGone,
  signal,
}: CourierOptions) => {
  const ended = (
    { id, attempt, startedAt }: Begun,
    outcome: AttemptOutcome,
    next: AttemptResult['next'],
    about: Partial<Pick<Attempt, 'status' | 'error'>> = {},
  ): AttemptResult => ({
    deliveryId: id,
    attempt: {
      number: attempt,
      startedAt,
      finishedAt: toInstant(clock.now()),
      outcome,
      status: null,
      error: null,
      ...about,
    },
    next,
  });

  const failed = (
    delivery: Begun,
    error: string | null,
    answer?: SendResult & { kind: 'answered' },
  ): AttemptResult => {
    const about = { status: answer?.status ?? null, error: error?.slice(0, 500) ?? null };
    const failures = delivery.earlierFailures + 1;
    const at = nextAttemptAt({
      schedule,
      failures,
      now: clock.now(),
      random: clock.random(),
      retryAfterMs: answer?.retryAfterMs,
    });
    const last = answer === undefined ? (error ?? '') : `the answer was ${answer.status}`;
    return ended(
      delivery,
      'failed',
      at === undefined
        ? {
            status: 'failed',
            reason: `given up after ${failures} failed attempts; at last: ${last}`.slice(0, 500),
          }
        : { status: 'due', dueAt: toInstant(at) },
      about,
    );
  };

  const gone = async (
    delivery: Begun,
    used: EndpointVersion,
    answer: SendResult & { kind: 'answered' },
  ): Promise<AttemptResult> => {
    try {
      const disabled = await onGone({
        accountId: delivery.accountId,
        endpointId: delivery.endpointId,
        version: used.revision,
      });
      return disabled
        ? ended(
            delivery,
            'failed',
            { status: 'failed', reason: 'the endpoint answered 410 Gone' },
            { status: answer.status },
          )
        : failed(delivery, null, answer);
    } catch (error) {
      return failed(delivery, `the endpoint could not be disabled: ${messageOf(error)}`, answer);
    }
  };

  /** Of each version, for as long as it is the latest. */
  const known = new WeakMap<EndpointVersion, SigningKeys>();
  const keysOf = (endpoint: EndpointVersion): SigningKeys => {
    const keys = known.get(endpoint) ?? signingKeys(secretBox.open(endpoint.secret));
    known.set(endpoint, keys);
    return keys;
  };

  return async (started: StartedDelivery): Promise<Attempted> => {
    const delivery: Begun = { ...started, startedAt: toInstant(clock.now()) };
    const endpoint = latest(delivery.endpointId);
    if (endpoint?.status !== 'enabled')
      return {
        result: ended(delivery, 'cancelled', {
          status: 'cancelled',
          reason: endedReason(endpoint),
        }),
      };
    let headers: Record<string, string>;
    try {
      const { eventId, eventType: type, id: deliveryId, body } = delivery;
      headers = deliveryHeaders({
        keys: keysOf(endpoint),
        eventId,
        type,
        deliveryId,
        body,
        at: new Date(clock.now()),
        version,
      });
    } catch (error) {
      return { result: failed(delivery, messageOf(error)) };
    }
    const sent = await sender.send({
      url: endpoint.target_url,
      headers,
      body: delivery.body,
      timeoutMs,
      signal,
    });
    if (sent.kind === 'failed') {
      if (!signal.aborted) return { result: failed(delivery, sent.error), sent };
      return {
        result: ended(
          delivery,
          'unknown',
          { status: 'due', dueAt: toInstant(clock.now()) },
          { error: 'cut off: the service ended' },
        ),
        sent,
      };
    }
    if (sent.status >= 200 && sent.status < 300)
      return {
        result: ended(delivery, 'succeeded', { status: 'succeeded' }, { status: sent.status }),
        sent,
      };
    return {
      result:
        sent.status === 410 ? await gone(delivery, endpoint, sent) : failed(delivery, null, sent),
      sent,
    };
  };
};

/** An attempt that begins now, which may be a little after it was taken. */
type Begun = StartedDelivery & { readonly startedAt: string };

/** Why an endpoint takes no more. */
export const endedReason = (endpoint: EndpointVersion | undefined): string =>
  endpoint === undefined ? 'the endpoint was unsubscribed' : 'the endpoint was disabled';
