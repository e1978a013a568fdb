import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import { Edge } from '#test/cluster/edge.ts'
import { offhook, ready } from '#test/machine/program.ts'
import { temporaryFolder, type Scope } from '#test/machine/temporary-folder.ts'
import { cpuSeconds } from '../shared/child.ts'
import { rounded } from '../shared/percentiles.ts'
import { inScope } from '../shared/scope.ts'
import { makePhones } from './make-phones.ts'
import { RegisteringPhones } from './registering-phones.ts'

/**
 * Phones behind the edge that register once and then refresh, with the edge's lease and without: REGISTER per second, how many reach the process, and the CPU of
 * both. `node bench/calls/edge-registrations.ts [phones]`.
 */
const phones = Number(process.argv[2] ?? 2_000)
const refreshRounds = 5
const concurrency = 40
const metricsToken = 'bench'
const edgeHost = '127.0.0.60'

/** CPU seconds of a process group. */
const groupCpuSeconds = (group: number): number =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[2]) === group
      } catch {
        return false // it has ended
      }
    })
    .reduce((sum, name) => sum + cpuSeconds(Number(name)), 0)

/** SIP responses sent by the process, including those to the edge's OPTIONS: one a second. */
const repliesOf = async (http: string): Promise<number> => {
  const text = await (await fetch(`${http}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })).text()
  return [...text.matchAll(/^offhook_sip_responses_total\{[^}]*direction="sent"[^}]*\} (\d+)/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  )
}

const measure = async (scope: Scope, leaseSeconds: number | undefined): Promise<void> => {
  const data = await temporaryFolder(scope)
  const key = randomBytes(32).toString('base64')
  const store = await sqliteStore(join(data, 'offhook.db'))
  const logins = await makePhones(store, { phones, key })
  await store.close()
  const program = offhook(scope, ['serve'], {
    OFFHOOK_DATA: data,
    OFFHOOK_SECRET_KEY: key,
    OFFHOOK_DEMO: 'off',
    OFFHOOK_LOG: 'error',
    OFFHOOK_SIP_EDGE: edgeHost,
    OFFHOOK_METRICS_TOKEN: metricsToken,
  })
  const { sip, http } = await ready(program)
  const pid = program.child.pid ?? -1
  // Listed as a carrier: the limits for one address do not apply to thousands of phones at one.
  const edge = await Edge.start(scope, {
    host: edgeHost,
    processes: [sip.replace('sip:', '')],
    carriers: '1 127.0.0.1 32 0 bench\n',
    leaseSeconds,
  })
  const group = await RegisteringPhones.open(edge.sip, logins)
  await group.register(concurrency)
  const before = { replies: await repliesOf(http), process: cpuSeconds(pid), edge: groupCpuSeconds(edge.pid) }
  const perSecond: number[] = []
  for (let round = 0; round < refreshRounds; round++) perSecond.push(await group.register(concurrency))
  const refreshes = refreshRounds * phones
  const cpuMs = (seconds: number): number => rounded((seconds * 1000) / refreshes, 3)
  console.log(
    JSON.stringify({
      bench: 'edge-registrations',
      leaseSeconds: leaseSeconds ?? 0,
      phones,
      refreshes,
      refreshesPerSecond: Math.max(...perSecond),
      repliesOfProcess: (await repliesOf(http)) - before.replies,
      processCpuMsPerRefresh: cpuMs(cpuSeconds(pid) - before.process),
      edgeCpuMsPerRefresh: cpuMs(groupCpuSeconds(edge.pid) - before.edge),
    }),
  )
  group.close()
}

for (const leaseSeconds of [undefined, 600]) await inScope((scope) => measure(scope, leaseSeconds))
