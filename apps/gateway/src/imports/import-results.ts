import {
  laterOf,
  toJson,
  type ImportedLine,
  type ImportEnd,
  type Position,
  type Problem,
  type RefusedLine,
} from '@refledger/contracts';

/** What became of a line. */
export interface ImportedRecord {
  readonly id: string;
  readonly how: 'updated' | 'replayed';
  /** The position of the record's last event. */
  readonly position: Position | undefined;
}

export type LineResult = { readonly line: number } & (
  { readonly imported: ImportedRecord } | { readonly problem: Problem }
);

/** Writes the results of an import as NDJSON, and counts them. */
export class ImportResults {
  private readonly counts = { created: 0, replayed: 0, updated: 0, failed: 0 };

  /** `position` is that of the log when the import began. */
  constructor(private position: Position) {}

  add(result: LineResult): Buffer {
    if ('problem' in result) this.counts.failed++;
    else {
      this.counts[result.imported.how]++;
      this.position = laterOf(this.position, result.imported.position) ?? this.position;
    }
    return textOf(shown(result));
  }

  /** The text of the end. `problem` says why the rest of the request was not read. */
  end(problem: Problem | undefined): Buffer {
    const { created, replayed, updated, failed } = this.counts;
    return textOf({
      object: 'end',
      lines: created + replayed + updated + failed,
      ...this.counts,
      position: this.position,
      ...(problem && { problem }),
    });
  }
}

const shown = (result: LineResult): ImportedLine | RefusedLine => {
  const { line } = result;
  if ('problem' in result) return { line, status: result.problem.status, problem: result.problem };
  const { id, how } = result.imported;
  return { line, status: 200, id, ...(how === 'updated' ? { updated: true } : { replayed: true }) };
};

const textOf = (line: ImportedLine | RefusedLine | ImportEnd): Buffer =>
  Buffer.from(`${toJson(line)}\n`);
