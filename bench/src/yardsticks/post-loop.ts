import { Child } from '../process/child.js';
import type { PostLoop } from './post-loop.process.js';

export type { PostLoop };

/** A bare undici POST loop in its own process. */
export const startPostLoop = (): Child<PostLoop, undefined> =>
  Child.start(new URL('./post-loop.process.js', import.meta.url));
