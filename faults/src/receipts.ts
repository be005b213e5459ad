import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Hook } from '@refledger/testing';
import { canonical } from './canonical.js';

/** The requests that one endpoint got for one event. */
export interface Receipt {
  readonly path: string;
  readonly eventId: string;
  /** `X-Service-Delivery` of each request. */
  readonly deliveries: Set<string>;
  /** How many attempts brought it. */
  times: number;
  /** SHA-256 of the bytes of each request: one entry when all requests brought the same bytes. */
  readonly bodies: Set<string>;
  /** SHA-256 of the envelope, whatever the order of its fields. */
  readonly meaning: string;
  /** The faults of headers and signatures. */
  readonly faults: Set<string>;
}

/** The facts about a request besides its content. */
interface ReceivedRequest {
  /** The faults of headers and signatures. */
  readonly faults: readonly string[];
  /** Its attempt sends it again, because its reused connection ends without a response. */
  readonly isSentAgain: boolean;
}

/**
 * Everything that the receivers got, by path and `webhook-id`. The file has every request, and each
 * different body of an event once.
 */
export class Receipts {
  readonly all = new Map<string, Receipt>();
  private readonly file: number;

  constructor(path: string) {
    this.file = openSync(path, 'a', 0o600);
  }

  add(hook: Hook, { faults, isSentAgain }: ReceivedRequest): void {
    const eventId = String(hook.headers['webhook-id']);
    const key = receiptKey(hook.path, eventId);
    const body = digest(hook.bytes);
    const receipt = this.all.get(key) ?? {
      path: hook.path,
      eventId,
      deliveries: new Set<string>(),
      times: 0,
      bodies: new Set<string>(),
      meaning: digest(canonical(hook.envelope)),
      faults: new Set<string>(),
    };
    const delivery = String(hook.headers['x-service-delivery']);
    writeSync(
      this.file,
      `${JSON.stringify({ at: hook.at, path: hook.path, event: eventId, delivery, ...(receipt.bodies.has(body) ? {} : { body: hook.bytes.toString('utf8') }) })}\n`,
    );
    receipt.deliveries.add(delivery);
    if (!isSentAgain) receipt.times++;
    receipt.bodies.add(body);
    for (const fault of faults) receipt.faults.add(fault);
    this.all.set(key, receipt);
  }

  close(): void {
    closeSync(this.file);
  }
}

export const receiptKey = (path: string, eventId: string): string => `${path} ${eventId}`;

export const digest = (of: string | Buffer): string =>
  createHash('sha256').update(of).digest('hex');
