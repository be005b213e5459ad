import { Pool } from 'undici';
import { serveParent } from '../process/child.js';

/** POSTs of these bytes, each with its own `webhook-id`. */
export interface PostLoop {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly count: number;
  readonly connections: number;
  /** The start of every `webhook-id`. */
  readonly prefix: string;
}

/** Only undici and a loop: the minimum cost of sending. */
const run = async ({ url, headers, body, count, connections, prefix }: PostLoop): Promise<void> => {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections });
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < count) {
        const response = await pool.request({
          path: pathname,
          method: 'POST',
          headers: { ...headers, 'webhook-id': `${prefix}-${next++}` },
          body,
        });
        await response.body.dump();
        if (response.statusCode >= 300)
          throw new Error(`the receiver returned ${response.statusCode}`);
      }
    }),
  );
  await pool.close();
};

serveParent(run);
