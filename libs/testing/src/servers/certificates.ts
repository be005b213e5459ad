import { fileURLToPath } from 'node:url';

const file = (name: string): string =>
  fileURLToPath(new URL(`../../certificates/${name}`, import.meta.url));

/**
 * The PEM files of a server on 127.0.0.1, of the authority that signed its certificate, and of
 * another authority.
 */
export const certificates = {
  server: { key: file('server.key'), certificate: file('server.pem') },
  authority: file('authority.pem'),
  otherAuthority: file('other-authority.pem'),
} as const;
