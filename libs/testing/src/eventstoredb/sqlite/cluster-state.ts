import { transaction, type Database } from '@refledger/sqlite';

/**
 * The state that doubles with one file share: their addresses, the leader, and which of them are
 * suspended or behind.
 */
export class ClusterState {
  private readonly sql: ReturnType<typeof statements>;

  constructor(private readonly db: Database) {
    this.sql = statements(db);
  }

  /**
   * Returns the address of the leader, '' when none leads, and undefined when none was ever named.
   */
  leader(): string | undefined {
    return (this.sql.leader.get() as { address: string } | undefined)?.address;
  }

  lead(address: string): void {
    transaction(this.db, () => {
      this.db.exec('DELETE FROM leader');
      this.db.prepare('INSERT INTO leader VALUES (?)').run(address);
    });
  }

  join(address: string): void {
    this.db.prepare('INSERT OR IGNORE INTO members VALUES (?)').run(address);
  }

  members(): readonly string[] {
    return this.sql.members.all().map((row) => (row as { address: string }).address);
  }

  /**
   * Returns the position at which the log ends for a double that is behind; undefined for any
   * other.
   */
  endFor(address: string): number | undefined {
    return (this.sql.behind.get(address) as { position: number } | undefined)?.position;
  }

  /** From now on the log ends at this position for this double. */
  endAt(address: string, position: number): void {
    this.db.prepare('INSERT OR REPLACE INTO behind VALUES (?, ?)').run(address, position);
  }

  catchUp(address: string): void {
    this.db.prepare('DELETE FROM behind WHERE address = ?').run(address);
  }

  /** Asks the double to suspend itself, which it does at its next poll. */
  suspend(address: string): void {
    this.db.prepare('INSERT OR REPLACE INTO held VALUES (?, NULL)').run(address);
  }

  /**
   * Returns true once. From then on `isSuspended` tells other processes that the double is
   * suspended.
   */
  shouldSuspend(address: string): boolean {
    if (this.sql.toHold.get(address) === undefined) return false;
    this.sql.hold.run(Date.now(), address);
    return true;
  }

  isSuspended(address: string): boolean {
    return this.sql.still.get(address) !== undefined;
  }
}

const statements = (db: Database) => ({
  leader: db.prepare('SELECT address FROM leader'),
  members: db.prepare('SELECT address FROM members'),
  behind: db.prepare('SELECT position FROM behind WHERE address = ?'),
  toHold: db.prepare('SELECT 1 FROM held WHERE address = ? AND since IS NULL'),
  hold: db.prepare('UPDATE held SET since = ? WHERE address = ?'),
  still: db.prepare('SELECT 1 FROM held WHERE address = ? AND since IS NOT NULL'),
});
