export interface AuditEntry {
  seq: number
  at: number
  actor: string
  action: string
  target: string
  detail: unknown
  previousHash: string
  hash: string
}

/** Append-only. Each entry carries the hash of the one before it, so that none can be changed or taken out unnoticed. */
export interface Audit {
  /** `chain` is an account's id, or `operator` for what concerns none. */
  append(chain: string, entry: { at: number; actor: string; action: string; target: string; detail?: unknown }): Promise<void>
  list(chain: string, page: { afterSeq: number; limit: number }): Promise<AuditEntry[]>
  /** Every chain that has a head or entries. */
  chains(): Promise<string[]>
  /** Where the next entry will be attached; seq 0 for a chain that is not there. */
  head(chain: string): Promise<{ seq: number; hash: string }>
}
