import { auditGenesis, brokenAuditEntry } from './audit-hash.ts'
import type { Audit } from '../ports/store/operate/audit.ts'

export interface AuditVerdict {
  chains: number
  entries: number
  broken: { chain: string; seq: number }[]
}

/** Entries held in memory at a time. */
const pageSize = 500

/** Computes the whole log again. Entries may be added meanwhile; what was there cannot change without being named. */
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

/** `intact` entries follow from each other; the one at `brokenAt` does not. */
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
    // The head is ahead: either an entry was just written, or the newest ones were taken out.
    const newer = await audit.list(chain, { afterSeq: last.seq, limit: 1 })
    if (newer.length === 0) return { intact: last.seq, brokenAt: last.seq + 1 }
  }
}
