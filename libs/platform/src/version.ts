import { createRequire } from 'node:module';

/** The version of this release, from this library's package.json. */
export const { version } = createRequire(import.meta.url)('../package.json') as { version: string };
