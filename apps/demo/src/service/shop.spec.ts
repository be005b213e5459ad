import { unusedPort } from '@refledger/testing';
import { Shop } from './shop.js';

it('repeats a request that gets no response, until it is closed', async () => {
  const shop = new Shop(
    `http://127.0.0.1:${await unusedPort()}`,
    'key',
    new AbortController().signal,
  );
  let retries = 0;
  await new Promise<void>((resolve, reject) => {
    const onRetry = (): void => {
      if (++retries === 2) void shop.close();
    };
    shop.send('GET', '/v1/account', undefined, { onRetry }).then(
      () => reject(new Error('no one was there to respond')),
      () => resolve(),
    );
  });
  expect(retries).toBe(2);
});
