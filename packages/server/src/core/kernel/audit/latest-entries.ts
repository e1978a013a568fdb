import type { Audit, AuditEntry } from '../ports/store/operate/audit.ts'

/** The latest first; `before`: only those before this one. A chain has no gaps. */
export const latestEntries = async (
  audit: Audit,
  chain: string,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<AuditEntry[]> => {
  const end = before ?? (await audit.head(chain)).seq + 1
  const afterSeq = Math.max(0, end - 1 - limit)
  const entries = await audit.list(chain, { afterSeq, limit: Math.min(limit, end - 1 - afterSeq) })
  return entries.toReversed()
}
