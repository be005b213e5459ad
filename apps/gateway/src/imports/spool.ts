import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes are kept and read in blocks of this size. */
const blockBytes = 64 * 1024;

/** How many blocks a spool keeps. */
interface SpoolLimits {
  readonly inMemory: number;
  readonly inFile: number;
}

/**
 * A queue of bytes that keeps 1 MiB in memory and the rest in a temporary file. Its writer waits
 * for its reader only when the file is full. One writer and one reader use it at a time.
 */
export class Spool {
  /** The oldest bytes. */
  private readonly blocks: Buffer[] = [];
  /** The bytes that follow those. Once the file is full, it is overwritten from its beginning. */
  private file: FileHandle | undefined;
  /** How many bytes have been read from the file, and written to it. */
  private fileRead = 0;
  private fileWritten = 0;
  private latest = Buffer.allocUnsafe(blockBytes);
  private used = 0;
  private ending: { readonly error: Error | undefined } | undefined;
  private isClosed = false;
  private wakeReader: () => void = () => undefined;
  private wakeWriter: () => void = () => undefined;
  private readonly limits: SpoolLimits;

  constructor(
    private readonly directory: string,
    limits: Partial<SpoolLimits> = {},
  ) {
    this.limits = { inMemory: 16, inFile: Infinity, ...limits };
  }

  /** Resolves once the bytes are kept. Rejects if the temporary file cannot take them. */
  async write(bytes: Buffer): Promise<void> {
    for (let start = 0; start < bytes.length && !this.isClosed;) {
      const copied = bytes.copy(this.latest, this.used, start);
      this.used += copied;
      start += copied;
      if (this.used === blockBytes) await this.keepLatest();
      this.wakeReader();
    }
  }

  /** Marks the end of the bytes. With an error, reading throws it after the last of them. */
  end(error?: Error): void {
    this.ending ??= { error };
    this.wakeReader();
  }

  /** Waits for the next bytes. Undefined after the last. */
  async read(): Promise<Buffer | undefined> {
    for (;;) {
      const next = this.blocks.shift() ?? (await this.fromFile()) ?? this.fromLatest();
      if (next !== undefined) return next;
      if (this.isClosed) return undefined;
      if (this.ending?.error !== undefined) throw this.ending.error;
      if (this.ending !== undefined) return undefined;
      await new Promise<void>((resolve) => (this.wakeReader = resolve));
    }
  }

  /** Reads to the end. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (let next = await this.read(); next !== undefined; next = await this.read()) yield next;
  }

  /** Drops what has not been read, and what is still to be written. Reading then ends. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.blocks.length = 0;
    this.used = 0;
    this.fileRead = this.fileWritten;
    this.wakeReader();
    this.wakeWriter();
    await this.file?.close();
  }

  private async keepLatest(): Promise<void> {
    const block = this.latest;
    this.latest = Buffer.allocUnsafe(blockBytes);
    this.used = 0;
    const isFileRead = this.fileRead === this.fileWritten;
    if (isFileRead && this.blocks.length < this.limits.inMemory) this.blocks.push(block);
    else await this.toFile(block);
  }

  private async toFile(block: Buffer): Promise<void> {
    while (this.fileWritten - this.fileRead >= this.fileBytes && !this.isClosed)
      await new Promise<void>((resolve) => (this.wakeWriter = resolve));
    this.file ??= await openUnnamed(this.directory);
    const offset = this.fileWritten % this.fileBytes;
    for (let start = 0; start < blockBytes && !this.isClosed;) {
      const left = blockBytes - start;
      start += (await this.file.write(block, start, left, offset + start)).bytesWritten;
    }
    if (this.isClosed) await this.file.close();
    else this.fileWritten += blockBytes;
  }

  private async fromFile(): Promise<Buffer | undefined> {
    if (this.file === undefined || this.fileRead === this.fileWritten) return undefined;
    const block = Buffer.allocUnsafe(blockBytes);
    const offset = this.fileRead % this.fileBytes;
    for (let start = 0; start < blockBytes && !this.isClosed;) {
      const left = blockBytes - start;
      start += (await this.file.read(block, start, left, offset + start)).bytesRead;
    }
    if (this.isClosed) return undefined;
    this.fileRead += blockBytes;
    this.wakeWriter();
    return block;
  }

  private get fileBytes(): number {
    return this.limits.inFile * blockBytes;
  }

  private fromLatest(): Buffer | undefined {
    if (this.used === 0) return undefined;
    const bytes = Buffer.from(this.latest.subarray(0, this.used));
    this.used = 0;
    return bytes;
  }
}

/** Opens a new file that is gone once it is closed, or once the process ends. */
const openUnnamed = async (directory: string): Promise<FileHandle> => {
  const path = join(directory, `import-${randomUUID()}.tmp`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
};
