import type { Service } from '@refledger/testing';
import type { AttackResponse, AttackRequest } from './attack.js';
import { Connections } from './connections.js';

export const keysPath = '/v1/api-keys';

export const creation = (apiKey: string): AttackRequest => ({
  method: 'POST',
  path: keysPath,
  apiKey,
  json: { name: 'one of many', scope: 'read' },
});

export const deletion = (apiKey: string, id: string): AttackRequest => ({
  method: 'DELETE',
  path: `${keysPath}/${id}`,
  apiKey,
});

/** The id in the response to a creation. Throws when no key was created. */
export const idOf = ({ text }: AttackResponse): string => {
  // Decoding boundary: the black-box suites check these responses against the contract.
  const { id } = JSON.parse(text) as { readonly id?: string };
  if (id === undefined) throw new Error(`no key was created: ${text}`);
  return id;
};

/** Below the 1,000 keys that an account may have, so that an attack can still create some. */
const live = 800;
const revoked = 2_000;
const lanes = 16;

/** Gives the key's account many live keys, and a history of many more revoked ones. */
export const growKeys = async (
  { baseUrl }: Pick<Service, 'baseUrl'>,
  apiKey: string,
): Promise<void> => {
  const open = new Connections(baseUrl, lanes);
  const keepGrowing = async (lane: number): Promise<void> => {
    for (let n = lane; n < live + revoked; n += lanes) {
      const id = idOf(await open.send(lane, creation(apiKey)));
      if (n >= live) await open.send(lane, deletion(apiKey, id));
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, (_, lane) => keepGrowing(lane)));
  } finally {
    await open.close();
  }
};
