import { setTimeout as sleep } from 'node:timers/promises'
import { postgresStore } from '#adapters/store/postgres-store.ts'
import { Cluster } from '#test/cluster/cluster.ts'
import { LinkInThread } from '#test/cluster/link-in-thread.ts'
import { SipPhone, type PhoneCall } from '#test/phones/sip-phone.ts'
import { createDatabase, installedPrograms, startPostgres } from '#test/store/postgres.ts'
import { makePhones, type MadePhone } from '../calls/make-phones.ts'
import { RegisteringPhones } from '../calls/registering-phones.ts'
import { percentile, rounded, spread } from '../shared/percentiles.ts'
import { processCpuMs } from '../shared/process-cpu.ts'
import { openScope } from '../shared/scope.ts'

/**
 * Three processes behind the edge: phones register, calls between further phones are set up one after the other, then one process is
 * killed. `databaseMs`: added to each answer of PostgreSQL, as if it were in another region.
 * `node bench/cluster/crowd.ts [phones] [calls] [databaseMs]`.
 */
const [phones = 500, calls = 20, databaseMs = 0] = process.argv.slice(2).map(Number)
const key = Buffer.alloc(32, 7).toString('base64')
const registerConcurrency = 50
/** Calls that are not counted: the first ones of each process take longer. */
const warmUp = 10
/** Pause between two calls, so that their set-up times are those of single calls. */
const apartMs = 100
const afterKillMs = 8_000
/** Longer gaps between two packets count as silence. */
const silenceMs = 200

interface Talk {
  phones: readonly SipPhone[]
  near: PhoneCall
  setUpMs: number
  ended: boolean
}

const scope = openScope()

const startAll = async () => {
  const postgres = await startPostgres(installedPrograms)
  scope.after(() => postgres.stop())
  const direct = await createDatabase(postgres.url, { name: 'crowd' })
  const link = await LinkInThread.open(scope, Number(new URL(direct).port))
  const far = new URL(direct)
  far.port = String(link.port)
  const cluster = await Cluster.start(scope, { withoutHttp: true, databaseUrl: far.href, settings: { OFFHOOK_DB_POOL: '6' } })
  const store = await postgresStore(direct)
  const made = await makePhones(store, { phones: phones + 2 * (calls + warmUp), key })
  await store.close()
  return { cluster, link, made }
}

const open = async (cluster: Cluster, { username: user, password }: MadePhone): Promise<SipPhone> => {
  const phone = await SipPhone.open(scope, { server: cluster.edge.sip, domain: cluster.edge.sip, user, password })
  const { status } = await phone.register()
  if (status !== 200) throw new Error(`a phone could not register: ${status}`)
  return phone
}

const connect = async (caller: SipPhone, callee: SipPhone, dialled: string): Promise<Talk> => {
  const startedAt = performance.now()
  const near = caller.call(dialled)
  const refused = near.ended.then(({ status }) => Promise.reject(new Error(`a call was rejected: ${status}`)))
  refused.catch(() => {}) // it ends eventually
  const incoming = await Promise.race([callee.incoming(), refused])
  await callee.accept(incoming)
  await Promise.race([near.answered, refused])
  const talk: Talk = { phones: [caller, callee], near, setUpMs: performance.now() - startedAt, ended: false }
  for (const call of [near, incoming.call]) void call.ended.then(() => (talk.ended = true))
  return talk
}

/** Longest time without a packet since then. */
const gapOf = ({ rtp }: SipPhone, since: number): number => {
  let [last, longest] = [since, 0]
  for (const { atMs } of rtp.packets) {
    if (atMs < since) continue
    longest = Math.max(longest, atMs - last)
    last = atMs
  }
  return Math.max(longest, performance.now() - last)
}

try {
  const { cluster, link, made } = await startAll()
  const { processes } = cluster
  const cpu = (): number => processes.reduce((sum, { running, pid }) => sum + (running ? processCpuMs(pid) : 0), 0)
  if (databaseMs > 0) await link.become({ kind: 'slow', ms: databaseMs })
  const crowd = await RegisteringPhones.open(cluster.edge.sip, made.slice(2 * (calls + warmUp)))
  scope.after(() => crowd.close())
  const beforeRegister = cpu()
  const registersPerSecond = phones > 0 ? await crowd.register(registerConcurrency) : 0
  const refreshesPerSecond = phones > 0 ? await crowd.register(registerConcurrency) : 0
  const afterRegister = cpu()
  const callers: SipPhone[] = []
  for (const phone of made.slice(0, 2 * (calls + warmUp))) callers.push(await open(cluster, phone))
  const talks: Talk[] = []
  let beforeCalls = cpu()
  for (let nth = 0; nth < calls + warmUp; nth++) {
    const [caller, callee] = callers.slice(2 * nth, 2 * nth + 2)
    if (nth === warmUp) beforeCalls = cpu()
    if (caller && callee) talks.push(await connect(caller, callee, made[2 * nth + 1]?.deviceId ?? ''))
    await sleep(apartMs)
  }
  const afterCalls = cpu() // without audio
  for (const { rtp } of talks.flatMap((talk) => talk.phones)) rtp.say(440)
  await sleep(2_000)
  const killedAt = performance.now()
  await processes[1]?.kill()
  await sleep(afterKillMs)
  const gaps = talks.flatMap((talk) => talk.phones.map((phone) => gapOf(phone, killedAt)))
  const silent = gaps.filter((ms) => ms > silenceMs)
  console.log(
    JSON.stringify({
      bench: 'crowd',
      phones,
      calls,
      databaseMs,
      registersPerSecond,
      refreshesPerSecond,
      cpuMsPerRegister: rounded((afterRegister - beforeRegister) / Math.max(1, 2 * phones), 2),
      setUpMs: spread(talks.slice(warmUp).map(({ setUpMs }) => setUpMs)),
      cpuMsPerCall: rounded((afterCalls - beforeCalls) / Math.max(1, calls)),
      killed: {
        phonesSilent: silent.length,
        silenceMs: { p50: percentile(silent, 0.5, 0), max: rounded(Math.max(0, ...silent), 0) },
        callsEnded: talks.filter(({ ended }) => ended).length,
      },
    }),
  )
  for (const talk of talks) if (!talk.ended) await talk.near.session.end()
} finally {
  await scope.end()
}
