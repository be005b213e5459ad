import { toInstant } from '@refledger/contracts';
import { previousStillSigning } from '@refledger/domain';
import { messageOf } from '@refledger/event-log';
import type { SecretBox } from '@refledger/sealing';
import {
  type Clock,
  type EndpointDisabler,
  type EndpointHealth,
  type EndpointDirectory,
  type EndpointVersion,
  decisionOf,
  recordedAt,
  revisionIn,
  deliveryHeaders,
  signingKeys,
  type SigningKeys,
  type SigningSecrets,
} from '@refledger/webhook-endpoints';
import type { AttemptResult, ClaimedDelivery } from '@refledger/delivery-store';
import {
  answered,
  cutOff,
  failed,
  gone,
  notSent,
  succeeded,
  type Ending,
  type StartedAttempt,
} from './attempt-result.js';
import type { DeliveryOpener, OpenDelivery } from './delivery-opener.js';
import { withoutSecrets } from './response-excerpt.js';
import type { SendResult, Sender } from './sender.js';

export interface AttemptSenderOptions {
  readonly sender: Pick<Sender, 'send'>;
  readonly secretBox: Pick<SecretBox, 'open'>;
  readonly opener: Pick<DeliveryOpener, 'open'>;
  readonly clock: Clock;
  /** Waits between attempts in milliseconds. */
  readonly schedule: readonly number[];
  readonly timeoutMs: number;
  /** The version of the service, for `User-Agent`. */
  readonly version: string;
  readonly endpoints: Pick<EndpointDirectory, 'latest'>;
  readonly disabler: Pick<EndpointDisabler, 'disable'>;
  readonly health: Pick<EndpointHealth, 'disableIfDue'>;
  /** Aborts when the service ends. Requests in flight are then aborted, with an unknown outcome. */
  readonly signal: AbortSignal;
}

/** A version of an endpoint, or the secret before a rotation. */
type SealedSecret = Pick<EndpointVersion, 'secret'>;

type SealedResult = SendResult & Pick<Ending, 'sealedResponse'>;
type NotSent = Parameters<typeof notSent>[2];

/** The result of one attempt. `sent` is missing when nothing was sent. */
export interface AttemptEnd {
  readonly result: AttemptResult;
  readonly sent?: SendResult;
  /** When the event was recorded, in milliseconds since 1970; missing when nothing was sent. */
  readonly recordedAt?: number;
}

/**
 * Makes one attempt: to the latest known target, signed with the latest known secret. Holds or
 * cancels the delivery when the endpoint currently takes none, and gives it up after ten attempts
 * in a row with an unknown outcome. A delivery whose body cannot be opened waits. A test changes
 * nothing about its endpoint. The endpoints must have been followed to where the delivery was decided.
 */
export class AttemptSender {
  /** The signing keys per secret, kept while a version with it is the latest. */
  private readonly keys = new WeakMap<SealedSecret, SigningKeys>();

  constructor(private readonly options: AttemptSenderOptions) {}

  /** Never rejects. */
  async send(delivery: ClaimedDelivery): Promise<AttemptEnd> {
    const { clock, opener } = this.options;
    const known = this.decide(delivery);
    if ('next' in known) return this.unsent(delivery, known.next);
    const opened = await opener.open(delivery);
    // the endpoint may have changed meanwhile
    const decided = this.decide(delivery);
    if ('next' in decided) return this.unsent(delivery, decided.next);
    switch (opened) {
      case 'skipped':
        return this.unsent(delivery, {
          status: 'canceled',
          reason: 'an operator skipped its event',
        });
      case 'unavailable':
        return this.unsent(delivery, {
          status: 'waiting',
          dueAt: toInstant(clock.now() + unavailableMs * (0.5 + clock.random() / 2)),
        });
      default:
        return this.attempt(delivery, decided.endpoint, opened);
    }
  }

  /** The endpoint to send a delivery to, or what becomes of the delivery instead. */
  private decide(
    delivery: ClaimedDelivery,
  ): { readonly endpoint: EndpointVersion } | { readonly next: NotSent } {
    const endpoint = this.options.endpoints.latest(delivery.endpointId);
    const decision = decisionOf(delivery, endpoint);
    if (decision.to === 'cancel') return { next: { status: 'canceled', reason: decision.reason } };
    if (decision.to === 'hold' || endpoint === undefined) return { next: { status: 'held' } };
    if (delivery.unknownBefore < maxUnknown) return { endpoint };
    const reason = `given up after ${maxUnknown} attempts in a row without a known outcome`;
    return { next: { status: 'failed', reason } };
  }

  private unsent(delivery: ClaimedDelivery, next: NotSent): AttemptEnd {
    return { result: notSent(delivery, this.options.clock.now(), next) };
  }

  private async attempt(
    delivery: ClaimedDelivery,
    endpoint: EndpointVersion,
    { body, seal }: OpenDelivery,
  ): Promise<AttemptEnd> {
    const { clock, sender, timeoutMs, signal } = this.options;
    const started: StartedAttempt = { delivery, startedAt: toInstant(clock.now()) };
    let secrets: SigningSecrets;
    try {
      secrets = this.secretsOf(endpoint);
    } catch (error) {
      // no connection was made, and the schedule's waits keep it from being claimed at once
      const ending: Ending = { outcome: 'connection', error: messageOf(error) };
      return { result: await this.failed(started, ending) };
    }
    const sent = await sender.send({
      url: endpoint.target_url,
      headers: this.headersOf(delivery, body, secrets),
      body,
      timeoutMs,
      signal,
    });
    const sealedResponse = await seal(withoutSecrets(sent.response, secrets));
    const result = await this.resultOf(started, endpoint, { ...sent, sealedResponse });
    return { result, sent, recordedAt: recordedAt(body) };
  }

  /** The secrets that sign an attempt that begins now. Throws when one cannot be opened. */
  private secretsOf(endpoint: EndpointVersion): SigningSecrets {
    const previous = previousStillSigning(endpoint.previous, toInstant(this.options.clock.now()));
    return {
      keys: this.keysOf(endpoint),
      previous: previous === null ? undefined : this.keysOf(previous),
    };
  }

  private headersOf(
    { id: deliveryId, eventId, eventType: type }: ClaimedDelivery,
    body: string,
    secrets: SigningSecrets,
  ): Record<string, string> {
    const { clock, version } = this.options;
    const at = new Date(clock.now());
    const revision = revisionIn(body);
    return deliveryHeaders({ ...secrets, eventId, type, deliveryId, body, revision, at, version });
  }

  private keysOf(sealed: SealedSecret): SigningKeys {
    const keys = this.keys.get(sealed) ?? signingKeys(this.options.secretBox.open(sealed.secret));
    this.keys.set(sealed, keys);
    return keys;
  }

  private async resultOf(
    started: StartedAttempt,
    endpoint: EndpointVersion,
    sent: SealedResult,
  ): Promise<AttemptResult> {
    const { clock, signal } = this.options;
    if (sent.kind === 'failed')
      return signal.aborted
        ? this.judged(started, cutOff(started, clock.now()))
        : this.failed(started, sent);
    const ending = { ...answered(sent), sealedResponse: sent.sealedResponse };
    if (ending.outcome === 'succeeded') return succeeded(started, clock.now(), ending);
    return sent.status === 410 && started.delivery.trigger !== 'test'
      ? this.gone(started, endpoint, ending)
      : this.failed(started, ending);
  }

  /**
   * A 410 disables the version that was used. If the endpoint has a newer version, the 410 is a
   * failure like any other.
   */
  private async gone(
    started: StartedAttempt,
    { revision: version }: EndpointVersion,
    ending: Ending,
  ): Promise<AttemptResult> {
    const { clock, disabler } = this.options;
    const { accountId, endpointId } = started.delivery;
    try {
      const disabled = await disabler.disable({ accountId, endpointId, version });
      return disabled ? gone(started, clock.now(), ending) : await this.failed(started, ending);
    } catch (error) {
      const why = `the endpoint could not be disabled: ${messageOf(error)}`;
      return this.failed(started, { ...ending, error: why });
    }
  }

  /** Before a delivery is given up, its endpoint is disabled if it has failed for long enough. */
  private async failed(started: StartedAttempt, ending: Ending): Promise<AttemptResult> {
    const { clock, schedule, health } = this.options;
    const result = failed(started, clock.now(), ending, { schedule, random: clock.random() });
    const { attempt, next } = result;
    const isGivenUp = next.status === 'failed' && started.delivery.trigger !== 'test';
    if (isGivenUp && attempt !== null) await health.disableIfDue({ ...started.delivery, attempt });
    return this.judged(started, result);
  }

  /**
   * The endpoint may have changed during an attempt that did not succeed: the delivery is then held
   * or canceled instead, even after its last attempt.
   */
  private judged({ delivery }: StartedAttempt, result: AttemptResult): AttemptResult {
    const decision = decisionOf(delivery, this.options.endpoints.latest(delivery.endpointId));
    switch (decision.to) {
      case 'send':
        return result;
      case 'hold':
        return { ...result, next: { status: 'held' } };
      case 'cancel':
        return { ...result, next: { status: 'canceled', reason: decision.reason } };
    }
  }
}

/** If the process ended during this many attempts in a row, the delivery may be the cause. */
const maxUnknown = 10;

/** The longest wait, in milliseconds, of a delivery whose key or event cannot be read. */
const unavailableMs = 30_000;
