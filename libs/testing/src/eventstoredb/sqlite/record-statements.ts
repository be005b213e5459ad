import type { Database } from '@refledger/sqlite';

const columns =
  'position, stream, revision, id, type, content_type AS contentType, data, metadata, created';
/** Prepares the statements that write and read records. */
export const recordStatements = (db: Database) => ({
  insert: db.prepare('INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'),
  head: db.prepare('SELECT max(position) AS position FROM records'),
  at: db.prepare('SELECT 1 FROM records WHERE position = ?'),
  last: db.prepare('SELECT max(revision) AS revision FROM records WHERE stream = ?'),
  idAt: db.prepare('SELECT id FROM records WHERE stream = ? AND revision = ?'),
  positionAt: db.prepare('SELECT position FROM records WHERE stream = ? AND revision = ?'),
  streamForwards: db.prepare(
    `SELECT ${columns} FROM records WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?`,
  ),
  streamBackwards: db.prepare(
    `SELECT ${columns} FROM records WHERE stream = ? AND revision <= ? ORDER BY revision DESC LIMIT ?`,
  ),
  forwards: db.prepare(
    `SELECT ${columns} FROM records WHERE position >= ? ORDER BY position LIMIT ?`,
  ),
  backwards: db.prepare(
    `SELECT ${columns} FROM records WHERE position < ? ORDER BY position DESC LIMIT ?`,
  ),
});
