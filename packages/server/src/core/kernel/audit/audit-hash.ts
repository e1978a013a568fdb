import { createHash } from 'node:crypto'
import type { AuditEntry } from '../ports/store/operate/audit.ts'

export const auditGenesis = '0'.repeat(64)

/** Over everything the entry says, and the hash of the entry before it. */
export const auditHash = (chain: string, entry: Omit<AuditEntry, 'hash'>): string =>
  createHash('sha256')
    .update(JSON.stringify([chain, entry.seq, entry.at, entry.actor, entry.action, entry.target, entry.detail ?? null, entry.previousHash]))
    .digest('hex')

/** The first entry that does not fit its predecessor, or undefined when all do. `entries` must follow directly on `last`. */
export const brokenAuditEntry = (
  chain: string,
  entries: readonly AuditEntry[],
  last: Pick<AuditEntry, 'seq' | 'hash'> = { seq: 0, hash: auditGenesis },
): AuditEntry | undefined =>
  entries.find((entry, index) => {
    const previous = entries[index - 1] ?? last
    return entry.seq !== previous.seq + 1 || entry.previousHash !== previous.hash || entry.hash !== auditHash(chain, entry)
  })
