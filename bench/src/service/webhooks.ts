import type { ReceivedHook } from '../receiver/receiver.process.js';
import type { Receiver } from '../receiver/receiver.js';
import { signatureFaults, type Envelope } from '@refledger/testing';
import type { Api } from './api.js';

/** Endpoints of a receiver that are subscribed to every new conversion. */
export class Webhooks {
  private constructor(
    private readonly receiver: Receiver,
    private readonly secrets: readonly string[],
  ) {}

  static async subscribe(service: Api, receiver: Receiver, endpoints: number): Promise<Webhooks> {
    const secrets: string[] = [];
    for (let n = 0; n < endpoints; n++)
      secrets.push(
        (
          await service.post<{ secret: string }>('/v1/webhooks/subscribe', {
            target_url: `${receiver.origin}/${n}`,
            events: ['conversion.created'],
          })
        ).secret,
      );
    return new Webhooks(receiver, secrets);
  }

  get endpoints(): number {
    return this.secrets.length;
  }

  /**
   * Waits for the webhooks of these new conversions. Throws unless each arrived once at every
   * endpoint, and the sample has a correct signature.
   */
  async received(conversions: number) {
    const all = await this.receiver.all(conversions * this.endpoints);
    if (all.sample !== undefined) this.checkSignature(all.sample);
    return all;
  }

  private checkSignature({ path, headers, body, at }: ReceivedHook): void {
    const envelope = JSON.parse(body) as Envelope;
    const faults = signatureFaults(
      { path, method: 'POST', headers, bytes: Buffer.from(body), at, envelope },
      this.secrets[Number(path.slice(1))] ?? '',
    );
    if (faults.length > 0) throw new Error(`a webhook is invalid: ${faults.join(', ')}`);
  }
}
