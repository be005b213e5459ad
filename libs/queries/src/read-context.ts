import type { Reader } from '@refledger/application';
import type { Position } from '@refledger/contracts';

/** The caller of a read, and the least position that it must reflect. */
export interface ReadContext {
  readonly caller: Reader;
  readonly minPosition: Position | undefined;
}
