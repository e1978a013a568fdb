import { sql } from 'kysely'
import type { Partitions } from '#core/kernel/ports/store/operate.ts'
import type { Dialect } from '#adapters/store/schema/dialect.ts'
import type { Db } from '#adapters/store/schema/index.ts'

const dayMs = 86_400_000
const daysAhead = 7
/** Lock timeout of statements that change the whole table: all others wait behind them. */
const shortLockTimeout = `set local lock_timeout = '2s'`

/** Column with the time that determines a row's day, by table. */
const cutBy = { delivery: 'at', timeline_piece: 'started_at' } as const

type CutTable = keyof typeof cutBy

interface Part {
  name: string
  /** Undefined for the default partition. */
  until: number | undefined
}

export const partitions = (db: Db, dialect: Dialect): Partitions => ({
  async keepAhead(now) {
    if (dialect === 'sqlite') return
    await sql.raw(shortLockTimeout).execute(db)
    for (const table of Object.keys(cutBy) as CutTable[]) await makeDays(db, table, now)
  },
})

/** Drops every partition whose last row is older. Returns their number. */
export const dropPartsBefore = async (db: Db, table: CutTable, at: number): Promise<number> => {
  const old = (await partsOf(db, table)).filter(({ until }) => until !== undefined && until <= at)
  if (old.length === 0) return 0
  await sql.raw(shortLockTimeout).execute(db)
  for (const { name } of old) await sql`drop table ${sql.table(name)}`.execute(db)
  return old.length
}

const makeDays = async (db: Db, table: CutTable, now: number): Promise<void> => {
  const made = Math.max(...(await partsOf(db, table)).map(({ until = 0 }) => until))
  const today = Math.floor(now / dayMs) * dayMs
  for (let from = Math.max(made, today); from <= today + (daysAhead - 1) * dayMs; from += dayMs) await makeDay(db, table, from)
}

/** Creates and attaches the partition without blocking writers, then moves early rows. */
const makeDay = async (db: Db, table: CutTable, from: number): Promise<void> => {
  const name = `${table}_${new Date(from).toISOString().slice(0, 10).replaceAll('-', '')}`
  const [whole, part, rest] = [sql.table(table), sql.table(name), sql.table(`${table}_rest`)]
  const [first, next] = [sql.lit(from), sql.lit(from + dayMs)]
  const column = sql.ref(cutBy[table])
  await sql`create table ${part} (like ${whole} including defaults including constraints)`.execute(db)
  await sql`with moved as (delete from ${rest} where ${column} >= ${first} and ${column} < ${next} returning *)
    insert into ${part} select * from moved`.execute(db)
  await sql`alter table ${whole} attach partition ${part} for values from (${first}) to (${next})`.execute(db)
}

const partsOf = async (db: Db, table: CutTable): Promise<Part[]> => {
  const { rows } = await sql<{ name: string; bound: string }>`
    select part.relname as name, pg_get_expr(part.relpartbound, part.oid) as bound
    from pg_inherits join pg_class part on part.oid = inhrelid
    where inhparent = ${table}::regclass`.execute(db)
  return rows.map(({ name, bound }) => {
    const until = /TO \('?(\d+)'?\)/.exec(bound)?.[1]
    return { name, until: until === undefined ? undefined : Number(until) }
  })
}
