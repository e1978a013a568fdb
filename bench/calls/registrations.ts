import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresStore } from '#adapters/store/postgres-store.ts'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import { temporaryFolder, type Scope } from '#test/machine/temporary-folder.ts'
import { offhook, ready } from '#test/machine/program.ts'
import { createDatabase, startPostgres } from '#test/store/postgres.ts'
import { cpuSeconds, residentMegabytes } from '../shared/child.ts'
import { rounded } from '../shared/percentiles.ts'
import { makePhones } from './make-phones.ts'
import { RegisteringPhones } from './registering-phones.ts'
import { inScope } from '../shared/scope.ts'

/**
 * Phones that register and then refresh: registrations per second, CPU of the service, and its memory for that many phones.
 * `node bench/calls/registrations.ts [phones] [sqlite|postgres]`.
 */
const phones = Number(process.argv[2] ?? 10_000)
const databases = process.argv[3] === undefined ? ['sqlite', 'postgres'] : [process.argv[3]]
const refreshRounds = 3
const key = randomBytes(32).toString('base64')

const measure = async (scope: Scope, database: string): Promise<void> => {
  const data = await temporaryFolder(scope)
  const postgres = database === 'postgres' ? await startPostgres() : undefined
  if (postgres) scope.after(() => postgres.stop())
  const url = postgres && (await createDatabase(postgres.url))
  const store = url === undefined ? await sqliteStore(join(data, 'offhook.db')) : await postgresStore(url)
  const logins = await makePhones(store, { phones, key })
  await store.close()
  const program = offhook(scope, ['serve'], {
    OFFHOOK_DATA: data,
    OFFHOOK_SECRET_KEY: key,
    OFFHOOK_DEMO: 'off',
    OFFHOOK_LOG: 'error',
    ...(url !== undefined && { DATABASE_URL: url }),
  })
  const { sip } = await ready(program)
  const pid = program.child.pid ?? -1
  const group = await RegisteringPhones.open(sip.replace('sip:', ''), logins)
  await sleep(3_000)
  const before = { mb: residentMegabytes(pid), cpu: cpuSeconds(pid) }
  const registersPerSecond = await group.register(500)
  const afterFirst = cpuSeconds(pid)
  const refreshesPerSecond: number[] = []
  for (let round = 0; round < refreshRounds; round++) refreshesPerSecond.push(await group.register(2_000))
  const cpuMs = (from: number, to: number, count: number): number => rounded(((to - from) * 1000) / count, 3)
  console.log(
    JSON.stringify({
      bench: 'registrations',
      database,
      phones: logins.length,
      registersPerSecond,
      refreshesPerSecond: Math.max(...refreshesPerSecond),
      cpuMsPerRegister: cpuMs(before.cpu, afterFirst, logins.length),
      cpuMsPerRefresh: cpuMs(afterFirst, cpuSeconds(pid), logins.length * refreshRounds),
      toldToComeAgain: group.refused,
      residentMbPer10000: rounded(((residentMegabytes(pid) - before.mb) * 10_000) / logins.length, 1),
      residentMb: residentMegabytes(pid),
    }),
  )
  group.close()
}

for (const database of databases) await inScope((scope) => measure(scope, database))
