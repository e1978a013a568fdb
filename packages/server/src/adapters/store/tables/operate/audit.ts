import { auditGenesis, auditHash } from '#core/kernel/audit/audit-hash.ts'
import type { Audit, AuditEntry } from '#core/kernel/ports/store/operate.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { hidden, record } from '../record.ts'

/** A manual change may not be valid JSON; it must still be displayed and reported. */
const readable = (detail: string): unknown => {
  try {
    return JSON.parse(detail)
  } catch {
    return { unreadable: detail }
  }
}

const stored = record<Schema['audit'], AuditEntry>()({ detail: { write: JSON.stringify, read: readable }, chain: hidden })

export const audit = (db: Db, dialect: Dialect): Audit => ({
  async append(chain, { at, actor, action, target, detail }) {
    await db
      .insertInto('audit_head')
      .values({ chain, seq: 0, hash: auditGenesis })
      .onConflict((conflict) => conflict.column('chain').doNothing())
      .execute()
    // The lock on the head keeps two writers from appending to the same entry.
    const head = await db
      .selectFrom('audit_head')
      .select(['seq', 'hash'])
      .where('chain', '=', chain)
      .$if(dialect === 'postgres', (query) => query.forUpdate())
      .executeTakeFirstOrThrow()
    const said = { at, actor, action, target, detail: detail ?? null }
    const entry = { ...said, seq: head.seq + 1, previousHash: head.hash }
    const hash = auditHash(chain, entry)
    await db
      .insertInto('audit')
      .values({ ...said, chain, seq: entry.seq, detail: JSON.stringify(said.detail), previous_hash: head.hash, hash })
      .execute()
    await db.updateTable('audit_head').set({ seq: entry.seq, hash }).where('chain', '=', chain).execute()
  },

  async list(chain, { afterSeq, limit }) {
    return stored.all(db.selectFrom('audit').selectAll().where('chain', '=', chain).where('seq', '>', afterSeq).orderBy('seq').limit(limit))
  },

  async chains() {
    const rows = await db.selectFrom('audit_head').select('chain').union(db.selectFrom('audit').select('chain')).orderBy('chain').execute()
    return rows.map((row) => row.chain)
  },

  async head(chain) {
    const head = await db.selectFrom('audit_head').select(['seq', 'hash']).where('chain', '=', chain).executeTakeFirst()
    return head ?? { seq: 0, hash: auditGenesis }
  },
})
