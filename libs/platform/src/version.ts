import { createRequire } from 'node:module';

/** The version of this release, from the package that this file is part of. */
export const { version } = createRequire(import.meta.url)('../package.json') as { version: string };
