import { until } from '../machine/peer-process.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterDatabase } from './database.ts'

/** Counts by kind. */
export interface Counted {
  calls: number
  sessions: number
}

type Queried = Pick<ClusterDatabase, 'query'>

const one = async (database: Queried, sql: string): Promise<number> => Number((await database.query(sql))[0]?.['n'] ?? 0)

export const countRecords = async (database: Queried): Promise<Counted> => ({
  calls: await one(database, 'select count(*) as n from history_entry'),
  sessions: await one(database, 'select count(*) as n from session where ended_at is not null'),
})

/** Invariants, each with the statement that counts violations. */
const rules: readonly (readonly [string, string])[] = [
  [
    'calls in the history twice',
    'select count(*) as n from (select session_id from history_entry group by session_id having count(*) > 1) as twice',
  ],
  [
    'entries of the ledger that do not add up',
    'select count(*) as n from (select entry_id from ledger_posting group by entry_id having sum(amount) <> 0) as wrong',
  ],
  ['reservations that nobody ended', `select count(*) as n from reservation where state = 'OPEN'`],
  ['running calls', 'select count(*) as n from running_call'],
  ['sessions without an end', 'select count(*) as n from session where ended_at is null'],
]

const orphans = async (database: ClusterDatabase): Promise<string[]> => {
  const found: string[] = []
  for (const [what, sql] of rules) {
    const count = await one(database, sql)
    if (count > 0) found.push(`${count} ${what}`)
  }
  return found
}

const portsTaken = async ({ processes }: Cluster): Promise<string[]> => {
  const found: string[] = []
  for (const { name, http, running } of processes) {
    if (!running) continue
    const reply = await fetch(`${http}/metrics`, { headers: { authorization: 'Bearer metrics' } })
    const taken = Number(/rtp_ports_taken (\d+)/.exec(await reply.text())?.[1] ?? 0)
    if (taken > 0) found.push(`${taken} RTP ports of ${name}`)
  }
  return found
}

/** After all calls have ended: waits until everything is written and released, and reports the rest. */
export const audit = async (cluster: Cluster, database: ClusterDatabase, expected: Counted): Promise<string[]> => {
  const look = async (): Promise<string[]> => {
    const counted = await countRecords(database)
    const wrong = [...(await orphans(database)), ...(await portsTaken(cluster))]
    if (counted.calls !== expected.calls) wrong.push(`${counted.calls} calls in the history instead of ${expected.calls}`)
    if (counted.sessions !== expected.sessions) wrong.push(`${counted.sessions} ended sessions instead of ${expected.sessions}`)
    return wrong
  }
  try {
    await until('the books are right', async () => (await look()).length === 0 || undefined, 40_000)
    return []
  } catch {
    return look()
  }
}
