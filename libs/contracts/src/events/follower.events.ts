import { z } from 'zod';

const follower = { follower: z.string() };

/** Stream `refledger.follower-<name>`: what operators decided, and which store a follower keeps its place in. */
export const followerEvents = {
  'follower.opened': z.strictObject({ ...follower, store_id: z.string() }),
  'follower.resumed': z.strictObject({
    ...follower,
    from: z.string().describe('start, head, or a position'),
  }),
  'follower.skipped': z.strictObject({ ...follower, event_id: z.string(), position: z.string() }),
  'follower.rebuild_requested': z.strictObject({ ...follower, view: z.string() }),
} as const;
