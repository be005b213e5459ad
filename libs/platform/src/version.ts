import { createRequire } from 'node:module';

/**
 * The version of this release, from the package.json above this file: this library's, or Refledger's
 * if this is part of a bundle.
 */
export const { version } = createRequire(import.meta.url)('../package.json') as { version: string };
