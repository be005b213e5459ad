import { nameOf, type TestServer } from '@refledger/testing/servers';

/** Which server the figures are of, and what they don't say where it isn't the engine itself. */
export const serverNote = (
  server: Pick<TestServer, 'engine' | 'product' | 'version' | 'from'>,
): string => {
  const { engine, product, from } = server;
  if (from === 'double') return `on ${nameOf(server)}: its own speed says nothing of ${engine}'s`;
  return product === engine
    ? `on ${nameOf(server)}`
    : `on ${nameOf(server)}: another product that speaks the protocol, so its speed says nothing of ${engine}'s`;
};
