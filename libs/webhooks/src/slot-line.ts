import type { EndpointId } from '@refledger/contracts';
import type { Lanes } from './lanes.js';
import { paces } from './paces.js';

/** Who gets the next slot: of each pace the endpoint that has waited longest, and one slot a turn. */
export class SlotLine {
  private readonly lines = paces.map(() => new Set<EndpointId>());

  constructor(private readonly lanes: Pick<Lanes, 'pace' | 'hasSlot'>) {}

  /** Stands in the line of its pace; keeps its place there when it has one. */
  join(endpoint: EndpointId): void {
    const pace = this.lanes.pace(endpoint);
    for (const [other, line] of this.lines.entries()) if (other !== pace) line.delete(endpoint);
    this.lines[pace]?.add(endpoint);
  }

  leave(endpoint: EndpointId): void {
    for (const line of this.lines) line.delete(endpoint);
  }

  /** Whose turn it is, now that there is a slot for it; it has left the line then. */
  next(): EndpointId | undefined {
    for (const [pace, line] of this.lines.entries()) {
      const [first] = line;
      if (first === undefined || !this.lanes.hasSlot(pace)) continue;
      line.delete(first);
      return first;
    }
    return undefined;
  }
}
