import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { createDatabase, installedPrograms, startPostgres } from '#test/store/postgres.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { cpuSeconds, endedChildrenCpuSeconds } from '../shared/child.ts'

/** Work of PostgreSQL during a measurement. */
export interface Costs {
  seconds: number
  /** Statements without begin and commit. */
  statements: number
  transactions: number
  cpuMs: number
  walBytes: number
  /** Executions by kind of statement. */
  kinds: Map<string, number>
}

export interface MeasuredPostgres {
  /** URL of the service's database. */
  url: string
  /** Work from the start of `work` until all of its effects are done. */
  costsOf(work: () => Promise<void>): Promise<Costs>
}

/** A connection reports its statistics only after this many idle milliseconds. */
const statisticsMs = 11_000
const framing = /^(begin|commit|rollback|start transaction|set )/i

/** Dedicated PostgreSQL with statistics. The measurement uses another database. */
export const openMeasuredPostgres = async (scope: Scope): Promise<MeasuredPostgres> => {
  const settings = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track_utility': 'on' }
  const postgres = await startPostgres(installedPrograms, settings)
  scope.after(() => postgres.stop())
  const url = await createDatabase(postgres.url, { name: 'measured' })
  const observer = new Client({ connectionString: postgres.url })
  await observer.connect()
  scope.after(() => observer.end())
  await observer.query('create extension pg_stat_statements')
  const first = Number(readFileSync(join(postgres.directory, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
  return { url, costsOf: (work) => costsOf(observer, first, work) }
}

const costsOf = async (observer: Client, first: number, work: () => Promise<void>): Promise<Costs> => {
  await sleep(statisticsMs)
  const [before, from] = [await counters(observer, first), performance.now()]
  await work()
  await sleep(statisticsMs)
  const after = await counters(observer, first)
  const kinds = new Map<string, number>()
  for (const [query, calls] of after.kinds) {
    const more = calls - (before.kinds.get(query) ?? 0)
    if (more > 0 && !framing.test(query)) kinds.set(query, more)
  }
  return {
    seconds: (performance.now() - from) / 1000,
    statements: [...kinds.values()].reduce((sum, calls) => sum + calls, 0),
    transactions: after.transactions - before.transactions,
    cpuMs: after.cpuMs - before.cpuMs,
    walBytes: after.walBytes - before.walBytes,
    kinds,
  }
}

const counters = async (observer: Client, first: number) => {
  const { rows } = await observer.query<{ query: string; calls: number }>(
    `select query, calls::int from pg_stat_statements where dbid = (select oid from pg_database where datname = 'measured')`,
  )
  const { rows: sums } = await observer.query<{ transactions: string; wal: string }>(
    `select xact_commit as transactions, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal from pg_stat_database where datname = 'measured'`,
  )
  return {
    kinds: new Map(rows.map(({ query, calls }) => [query, calls])),
    transactions: Number(sums[0]?.transactions),
    walBytes: Number(sums[0]?.wal),
    cpuMs: cpuMsOf(first),
  }
}

/** CPU milliseconds of all its processes, including those of closed connections. */
const cpuMsOf = (first: number): number => {
  const family = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === first)
  const running = [first, ...family.map(Number)].reduce((sum, pid) => sum + cpuSeconds(pid), 0)
  return (running + endedChildrenCpuSeconds(first)) * 1000
}

const parentOf = (pid: string): number | undefined => {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1])
  } catch {
    return undefined // process ended
  }
}
