import type { SignOn } from '#core/kernel/ports/sign-on.ts'
import type { Bus, Clock } from '#core/kernel/ports/platform.ts'
import type { PostgresLimits } from '#adapters/store/postgres/postgres-limits.ts'
import type { Passwords } from '#core/kernel/ports/account.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { Store, StoreReach } from '#core/kernel/ports/store/index.ts'
import { sendFromPhone } from '#core/messages/orders/send-from-phone.ts'
import { takeFromTrunk } from '#core/messages/sms/receiving/take-from-trunk.ts'
import { firstStart, type FirstStart } from '#first-start/first-start.ts'
import type { HandlerDeps } from '#http/handler/handler-deps.ts'
import { buildServer, type ServerOptions } from '#http/server.ts'
import { InstanceFile } from '#adapters/machine/instance-file.ts'
import { serveSecurely } from '#http/secure-server.ts'
import type { Log } from '#log/log-events.ts'
import { version } from '#settings/version.ts'
import type { Settings } from '#settings/config.ts'
import { blame } from '#settings/cannot-start.ts'
import { addressText, type Address } from '#settings/setting-values.ts'
import { ClosingOrder, type Open } from './closing.ts'
import { describing, reachable } from './cluster/neighbours.ts'
import { openCore, type Core } from './core.ts'
import type { OpenedEndpoints } from './customers.ts'
import { dataFolder } from './database/open-store.ts'
import { openPlatform, type Platform } from './platform.ts'
import { RestAddress } from './listening/rest-address.ts'
import { describeInstallation, restParts, sipWebSocketPath } from './rest-deps.ts'
import { resolve } from 'node:path'

export interface Running {
  /** Address of the REST API. */
  http: string
  /** Address for phones and trunks: `sip:127.0.0.1:5060`. */
  sip: string
  /** All listening addresses on this machine. */
  addresses: Addresses
  firstStart: FirstStart
  deps: HandlerDeps
  /** Number of running calls. */
  calls(): number
  /** Resolves when the threads that carry calls have answered: not while one is stuck. */
  answers(): Promise<void>
  /** Resolves when all due messages and jobs are done. */
  idle(): Promise<void>
  /** Rejects new calls; resolves when none are left, or after the timeout. */
  drain(ms: number): Promise<void>
  /** Reloads what may change without a restart: certificates. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** Replacements for tests: time, and slow parts. */
export interface Replaced {
  clock?: Clock
  /** Poll interval of the queue tables for rows of other nodes. */
  pollIntervalMs?: number
  /** Milliseconds SQLite waits to group commits. */
  commitWindowMs?: number
  /** Time limits of PostgreSQL that differ from the defaults. */
  databaseLimits?: Partial<PostgresLimits>
  /** Connects several services of one test. */
  bus?: Bus
  passwords?: Passwords
  /** DNS records by which accounts prove their domains. */
  txtRecords?: SignOn['txtRecords']
  log?: Log
  /** Speech recognition and synthesis of assistants. */
  speech?: Speech
  /** Endpoints of assistants. */
  endpoints?: OpenedEndpoints
}

/** Builds the whole service, from the platform up to the REST API, and starts it; closes in reverse order. */
export const start = async (settings: Settings, replaced: Replaced = {}): Promise<Running> => {
  const closing = new ClosingOrder()
  try {
    const running = await startParts(settings, replaced, closing.open)
    return { ...running, close: () => closing.close() }
  } catch (error) {
    await closing.close()
    throw error
  }
}

/** Milliseconds for delivering session_end to customers at shutdown. */
const lastSessionEndsMs = 5_000

const startParts = async (settings: Settings, replaced: Replaced, open: Open): Promise<Omit<Running, 'close'>> => {
  const instanceFile = open(new InstanceFile(settings.OFFHOOK_DATA)) // removed when all resources are released
  const platform = await openPlatform(settings, replaced, open)
  const erased = await platform.resumeErasures() // before the first request
  if (erased > 0) platform.log('erasures_repeated', { count: erased })
  const address = new RestAddress(settings)
  const core = await openCore({ settings, replaced, platform, open, address })
  const { telephone, workers, sms, faxes, presence, speech } = core
  const { messages, trunkMessages } = telephone.telephony
  if (settings.OFFHOOK_METRICS_TOKEN !== undefined) {
    const { openMetrics } = await import('./metrics/open-metrics.ts')
    openMetrics(settings, platform, core, open)
  }
  const installation = describeInstallation(settings, core, address.publicUrl)
  const deps = restParts({ platform, core, installation, replaced })
  messages.onText(sendFromPhone({ ...deps, phones: messages }))
  trunkMessages.onText(takeFromTrunk(sms.deps))
  const app = open(buildServer(deps, serverOptions(settings, core)))
  open({ close: () => workers.flush(lastSessionEndsMs) }) // after the telephone, with which the last sessions end
  open(telephone)
  open(faxes) // before the telephone, which hangs them up
  app.upgrades.add({ path: sipWebSocketPath, enter: (upgrade) => telephone.telephony.takeUpgrade(upgrade) })
  const listenSecurely = openHttps(settings, app, platform)
  address.listensAt(await app.listen(settings.OFFHOOK_HTTP))
  const https = await listenSecurely?.()
  const first = await firstStart(deps, { data: settings.OFFHOOK_DATA, demo: settings.OFFHOOK_DEMO }).catch(blame(dataFolder(settings)))
  await telephone.start()
  await platform.journal?.start()
  await core.recover() // before the workers release reservations of lost calls
  platform.fileWork?.start() // after it is known which calls have ended
  await workers.start()
  await sms.start(deps)
  await presence.start()
  const check = await checkDatabase({ settings, ...platform })
  if (check) open(check)
  const http = reachable(address.listening(), settings.OFFHOOK_HTTP)
  core.peerNodes.start(describing({ ...core, ...platform }, { http, region: settings.OFFHOOK_REGION }))
  void speech.prepare(await platform.store.read.flows.languages())
  void core.prepareAgent()
  const { host, port } = installation.sip
  const { reach } = platform.store
  reach?.watch(() => core.peerNodes.notify()) // peers decide by it whether calls may be taken over
  // Closed first: the state of the database is known then, so that no later step waits for an unavailable one.
  open({ close: async () => void (await reach?.now().catch(() => {})) })
  const addresses = addressesOf({ settings, telephony: telephone.telephony, sms, http: address.listening(), https })
  await noteInstance(instanceFile, { id: presence.id, addresses, log: platform.log })
  return {
    http: address.listening(),
    sip: `sip:${host}:${port}`,
    addresses,
    firstStart: first,
    deps,
    calls: () => telephone.callRouter.size,
    answers: () => telephone.answers(),
    idle: () => core.idle(),
    drain: (ms) => drain(core, reach, ms),
    reload: () => platform.certificates.look(),
  }
}

const drain = async ({ presence, peerNodes, handOver, telephone, faxes }: Core, reach: Store['reach'], ms: number): Promise<void> => {
  await reach?.now().catch(() => {})
  presence.stop()
  peerNodes.notify() // stops peers from handing calls to this node
  await handOver()
  await Promise.all([telephone.drain(ms), faxes.drain(ms)])
}

const serverOptions = (settings: Settings, { together }: Core): ServerOptions => ({
  rateLimit: settings.OFFHOOK_RATE_LIMIT,
  trustProxy: settings.OFFHOOK_TRUST_PROXY,
  version: version(),
  demo: settings.OFFHOOK_DEMO,
  metricsToken: settings.OFFHOOK_METRICS_TOKEN,
  cors: settings.OFFHOOK_CORS,
  shareRate: (kind, spend) => together.rate(kind, 1_000, spend),
})

/** The REST API over TLS without a proxy, if configured. It closes with the other one. */
const openHttps = (
  { OFFHOOK_HTTPS: at }: Settings,
  app: ReturnType<typeof buildServer>,
  { certificates: { served } }: Platform,
): (() => Promise<string>) | undefined => {
  if (!at || !served) return undefined
  const listen = serveSecurely(app, served)
  return () => listen(at).catch(blame(`OFFHOOK_HTTPS (${addressText(at)})`))
}

interface CheckDeps {
  settings: Pick<Settings, 'OFFHOOK_DB_POOL'>
  store: Pick<Store, 'read' | 'reach'>
  wallClock: Clock
  log: Log
}

/** Connections left for administrators, migrations and others. */
const connectionsOfOthers = 10
/** Times in the store come from many clocks. */
const maxGapMs = 1_000
const pollIntervalMs = 10 * 60_000
/** Milliseconds after which a silent node has no connections. */
const silentMs = 30_000

/** Warns the operator about database problems before they cause harm, at the start and periodically. */
export const checkDatabase = async (deps: CheckDeps): Promise<{ close(): Promise<void> } | undefined> => {
  const { reach } = deps.store
  if (!reach) return undefined
  await checkPool(deps, reach)
  let cancelTimer = (): void => {}
  let closed = false
  let looking: Promise<void>
  const look = async (): Promise<void> => {
    await checkClock(deps, reach).catch(() => {}) // reported by the users of the database
    if (!closed) cancelTimer = deps.wallClock.after(pollIntervalMs, () => void (looking = look()))
  }
  await (looking = look())
  return {
    close: async () => {
      closed = true
      cancelTimer()
      await looking
    },
  }
}

const checkPool = async ({ settings, store, wallClock, log }: CheckDeps, { room }: StoreReach): Promise<void> => {
  if (room === undefined) return
  const { OFFHOOK_DB_POOL: pool } = settings
  const processes = (await store.read.nodes.list(wallClock.now() - silentMs)).length
  if (processes * pool > room - connectionsOfOthers) log('database_pool_too_large', { processes, pool, maxConnections: room })
}

const checkClock = async ({ wallClock, log }: CheckDeps, reach: StoreReach): Promise<void> => {
  const asked = wallClock.now()
  const there = await reach.now()
  const gapMs = there - (asked + wallClock.now()) / 2
  if (Math.abs(gapMs) > maxGapMs) log('database_clock_differs', { seconds: Math.round(gapMs / 1000) })
}

/** Listening addresses of this process by protocol: with a scheme for HTTP, else host:port. */
export interface Addresses {
  http: string
  https?: string
  /** UDP and TCP. */
  sip: string
  sipTls?: string
  sipWs?: string
  sipWss?: string
  smpp?: string
  smpps?: string
}

interface AddressParts {
  settings: Settings
  telephony: { port(kind: 'udp' | 'tls' | 'ws' | 'wss'): number | undefined }
  sms: { ports: () => { scheme: string; port: number }[] }
  http: string
  https: string | undefined
}

export const addressesOf = ({ settings, telephony, sms, http, https }: AddressParts): Addresses => {
  const { OFFHOOK_SIP: sip, OFFHOOK_SIP_TLS: tls, OFFHOOK_SIP_WS: ws, OFFHOOK_SMPP: smpp, OFFHOOK_SMPP_TLS: smpps } = settings
  const smppPort = (scheme: string) => sms.ports().find((each) => each.scheme === scheme)?.port
  return {
    http,
    ...(https !== undefined && { https }),
    sip: addressText({ host: sip.host, port: telephony.port('udp') ?? sip.port }),
    ...named('sipTls', tls, telephony.port('tls')),
    ...named('sipWs', ws, telephony.port('ws')),
    ...named('sipWss', ws, telephony.port('wss')),
    ...named('smpp', smpp, smppPort('smpp')),
    ...named('smpps', smpps, smppPort('smpps')),
  }
}

const named = (name: keyof Addresses, at: Address | undefined, port: number | undefined): Partial<Addresses> =>
  at === undefined || port === undefined ? {} : { [name]: addressText({ host: at.host, port }) }

/** For commands on this machine. The service works without it. */
export const noteInstance = (file: InstanceFile, { id, addresses, log }: { id: string; addresses: Addresses; log: Log }): Promise<void> => {
  const { OFFHOOK_CONFIG: config } = process.env
  const notes = {
    instance: id,
    pid: process.pid,
    version: version(),
    startedAt: new Date().toISOString(),
    node: process.versions.node,
    addresses,
    ...(config !== undefined && config !== '' && { config: resolve(config) }),
  }
  return file.write(notes).catch((error: unknown) => log('instance_not_noted', { err: error }))
}
