import { nameOf, type TestServer } from '@refledger/testing/servers';

/** Names the server that was measured, and says so if it is not the engine itself. */
export const serverNote = (
  server: Pick<TestServer, 'engine' | 'product' | 'version' | 'from'>,
): string => {
  const { engine, product, from } = server;
  if (from === 'double') return `on ${nameOf(server)}, whose speed is not ${engine}'s`;
  return product === engine
    ? `on ${nameOf(server)}`
    : `on ${nameOf(server)}, another product with the same protocol, whose speed is not ${engine}'s`;
};
