import { createHash } from 'node:crypto'
import type { AuditEntry, Audit } from '../ports/store/operate.ts'

export const auditGenesis = '0'.repeat(64)

/** SHA-256 over all fields of the entry and the previous entry's hash. */
export const auditHash = (chain: string, entry: Omit<AuditEntry, 'hash'>): string =>
  createHash('sha256')
    .update(JSON.stringify([chain, entry.seq, entry.at, entry.actor, entry.action, entry.target, entry.detail ?? null, entry.previousHash]))
    .digest('hex')

/** Finds the first entry that does not match its predecessor; undefined if all match. `entries` must directly follow `last`. */
export const brokenAuditEntry = (
  chain: string,
  entries: readonly AuditEntry[],
  last: Pick<AuditEntry, 'seq' | 'hash'> = { seq: 0, hash: auditGenesis },
): AuditEntry | undefined =>
  entries.find((entry, index) => {
    const previous = entries[index - 1] ?? last
    return entry.seq !== previous.seq + 1 || entry.previousHash !== previous.hash || entry.hash !== auditHash(chain, entry)
  })

interface AuditVerdict {
  chains: number
  entries: number
  broken: { chain: string; seq: number }[]
}

/** Entries held in memory at a time. */
const pageSize = 500

/** Recomputes the whole log. Entries may be added concurrently; a changed entry is reported. */
export const verifyAudit = async (audit: Audit): Promise<AuditVerdict> => {
  const verdict: AuditVerdict = { chains: 0, entries: 0, broken: [] }
  for (const chain of await audit.chains()) {
    const { intact, brokenAt } = await verifyChain(audit, chain)
    verdict.chains++
    verdict.entries += intact
    if (brokenAt !== undefined) verdict.broken.push({ chain, seq: brokenAt })
  }
  return verdict
}

/** `intact`: number of consistent entries. `brokenAt`: first entry that is not. */
const verifyChain = async (audit: Audit, chain: string): Promise<{ intact: number; brokenAt?: number }> => {
  let last = { seq: 0, hash: auditGenesis }
  for (;;) {
    const entries = await audit.list(chain, { afterSeq: last.seq, limit: pageSize })
    const broken = brokenAuditEntry(chain, entries, last)
    if (broken) return { intact: last.seq + entries.indexOf(broken), brokenAt: last.seq + entries.indexOf(broken) + 1 }
    last = entries.at(-1) ?? last
    if (entries.length > 0) continue

    const head = await audit.head(chain)
    if (head.seq === last.seq && head.hash === last.hash) return { intact: last.seq }
    if (head.seq <= last.seq) return { intact: last.seq, brokenAt: last.seq }
    // The head is ahead: either an entry was just written, or the newest ones were removed.
    const newer = await audit.list(chain, { afterSeq: last.seq, limit: 1 })
    if (newer.length === 0) return { intact: last.seq, brokenAt: last.seq + 1 }
  }
}
