import { createHash } from 'node:crypto'
import type { AuditEntry } from './ports/store/audit.ts'

export const auditGenesis = '0'.repeat(64)

/** Over everything the entry says, and the hash of the entry before it. */
export const auditHash = (chain: string, entry: Omit<AuditEntry, 'hash'>): string =>
  createHash('sha256')
    .update(JSON.stringify([chain, entry.seq, entry.at, entry.actor, entry.action, entry.target, entry.detail ?? null, entry.previousHash]))
    .digest('hex')

/** The first entry that does not fit its predecessor, or undefined when the chain is whole. `entries` must begin at the first. */
export const brokenAuditEntry = (chain: string, entries: readonly AuditEntry[]): AuditEntry | undefined => {
  let previousHash = auditGenesis
  return entries.find((entry, index) => {
    const fits = entry.seq === index + 1 && entry.previousHash === previousHash && entry.hash === auditHash(chain, entry)
    previousHash = entry.hash
    return !fits
  })
}
