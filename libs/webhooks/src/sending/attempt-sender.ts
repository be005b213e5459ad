import { toInstant } from '@refledger/contracts';
import { signingBeside } from '@refledger/domain';
import { messageOf } from '@refledger/event-log';
import type { Clock } from '../clock.js';
import type { EndpointDisabler } from '../endpoints/endpoint-disabler.js';
import type { EndpointDirectory } from '../endpoints/endpoint-directory.js';
import { endedReason, type EndpointVersion } from '../endpoints/endpoint-version.js';
import type { SecretBox } from '../endpoints/secret-box.js';
import type { AttemptResult, ClaimedDelivery } from '../stores/delivery-store.js';
import {
  canceled,
  cutOff,
  failed,
  gone,
  succeeded,
  type StartedAttempt,
  type Failure,
} from './attempt-result.js';
import type { SendResult, Sender } from './sender.js';
import { deliveryHeaders, signingKeys, type SigningKeys } from './signature.js';

export interface AttemptSenderOptions {
  readonly sender: Pick<Sender, 'send'>;
  readonly secretBox: Pick<SecretBox, 'open'>;
  readonly clock: Clock;
  /** Waits between attempts in milliseconds. */
  readonly schedule: readonly number[];
  readonly timeoutMs: number;
  /** The version of the service, for `User-Agent`. */
  readonly version: string;
  readonly endpoints: Pick<EndpointDirectory, 'latest'>;
  readonly disabler: Pick<EndpointDisabler, 'disable'>;
  /** Aborts when the service ends. Requests in flight are then aborted, with an unknown outcome. */
  readonly signal: AbortSignal;
}

/** A version of an endpoint, or the secret before a rotation. */
type SealedSecret = Pick<EndpointVersion, 'secret'>;

/** The result of one attempt. `sent` is missing when nothing was sent. */
export interface Attempted {
  readonly result: AttemptResult;
  readonly sent?: SendResult;
}

/**
 * Makes one attempt: to the latest known target, signed with the latest known secret. Cancels the
 * delivery when the endpoint is disabled or unsubscribed. The endpoints must have been followed to
 * where the delivery was decided.
 */
export class AttemptSender {
  /** The signing keys per secret, kept while a version with it is the latest. */
  private readonly keys = new WeakMap<SealedSecret, SigningKeys>();

  constructor(private readonly options: AttemptSenderOptions) {}

  /** Never rejects. */
  async send(delivery: ClaimedDelivery): Promise<Attempted> {
    const { clock, endpoints, sender, timeoutMs, signal } = this.options;
    const started: StartedAttempt = { delivery, startedAt: toInstant(clock.now()) };
    const endpoint = endpoints.latest(delivery.endpointId);
    if (endpoint?.status !== 'enabled')
      return { result: canceled(started, clock.now(), endedReason(endpoint)) };
    let headers: Record<string, string>;
    try {
      headers = this.headersOf(delivery, endpoint);
    } catch (error) {
      return { result: this.failed(started, { error: messageOf(error) }) };
    }
    const sent = await sender.send({
      url: endpoint.target_url,
      headers,
      body: delivery.body,
      timeoutMs,
      signal,
    });
    return { result: await this.resultOf(started, endpoint, sent), sent };
  }

  private headersOf(
    { id: deliveryId, eventId, eventType: type, body }: ClaimedDelivery,
    endpoint: EndpointVersion,
  ): Record<string, string> {
    const { clock, version } = this.options;
    const now = clock.now();
    const previous = signingBeside(endpoint.previous, toInstant(now));
    return deliveryHeaders({
      keys: this.keysOf(endpoint),
      previous: previous === null ? undefined : this.keysOf(previous),
      eventId,
      type,
      deliveryId,
      body,
      at: new Date(now),
      version,
    });
  }

  private keysOf(sealed: SealedSecret): SigningKeys {
    const keys = this.keys.get(sealed) ?? signingKeys(this.options.secretBox.open(sealed.secret));
    this.keys.set(sealed, keys);
    return keys;
  }

  private async resultOf(
    started: StartedAttempt,
    endpoint: EndpointVersion,
    sent: SendResult,
  ): Promise<AttemptResult> {
    const { clock, signal } = this.options;
    if (sent.kind === 'failed')
      return signal.aborted ? cutOff(started, clock.now()) : this.failed(started, sent);
    const { status, retryAfterMs } = sent;
    if (status >= 200 && status < 300) return succeeded(started, clock.now(), status);
    if (status === 410) return this.gone(started, endpoint, sent);
    return this.failed(started, { status, retryAfterMs });
  }

  /**
   * A 410 disables the version that was used. If the endpoint has a newer version, the 410 is a
   * failure like any other.
   */
  private async gone(
    started: StartedAttempt,
    { revision: version }: EndpointVersion,
    { status, retryAfterMs }: SendResult & { readonly kind: 'answered' },
  ): Promise<AttemptResult> {
    const { clock, disabler } = this.options;
    const { accountId, endpointId } = started.delivery;
    try {
      const disabled = await disabler.disable({ accountId, endpointId, version });
      return disabled
        ? gone(started, clock.now(), status)
        : this.failed(started, { status, retryAfterMs });
    } catch (error) {
      const why = `the endpoint could not be disabled: ${messageOf(error)}`;
      return this.failed(started, { status, error: why, retryAfterMs });
    }
  }

  private failed(started: StartedAttempt, failure: Failure): AttemptResult {
    const { clock, schedule } = this.options;
    return failed(started, clock.now(), failure, { schedule, random: clock.random() });
  }
}
