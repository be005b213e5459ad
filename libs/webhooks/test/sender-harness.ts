/// <reference types="jest" />
import { openSender, type Sender, type SenderOptions } from '../src/sending/sender.js';
import { receiver, type Receiver } from './hostile-receivers.js';

// Shared by the sender tests. Senders and receivers opened here are closed after each test.

export const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
export const request = {
  headers: { 'Content-Type': 'application/json', 'X-Service-Event': 'conversion.created' },
  body: '{"name":"Zoë 🎉"}',
  timeoutMs: 5_000,
};

export const sender = (options: Partial<SenderOptions> = {}): Sender =>
  opened(openSender({ mode: 'loopback', ...options }));
export const receives = async (...how: Parameters<typeof receiver>): Promise<Receiver> =>
  opened(await receiver(...how));

/** A lookup that always returns these addresses. */
export const names = (...addresses: string[]) =>
  jest.fn(() =>
    Promise.resolve(
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    ),
  );

/** Resolves once every connection is closed. */
export async function ended(there: Receiver): Promise<void> {
  await Promise.all(
    there.sockets.map(
      (socket) =>
        new Promise<void>((resolve) =>
          socket.closed ? resolve() : socket.once('close', () => resolve()),
        ),
    ),
  );
}

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const open of closing.splice(0)) await open.close();
});

function opened<T extends { close(): Promise<void> }>(it: T): T {
  closing.unshift(it);
  return it;
}
