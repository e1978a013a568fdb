import type { Bus } from '#core/kernel/ports/bus.ts'
import type { PostgresLimits } from '#adapters/store/postgres/postgres-limits.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Passwords } from '#core/kernel/ports/identity/passwords.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { sendFromPhone } from '#core/messages/orders/send-from-phone.ts'
import { takeFromTrunk } from '#core/messages/sms/receiving/take-from-trunk.ts'
import { firstStart, type FirstStart } from '#first-start/first-start.ts'
import type { HandlerDeps } from '#http/handler/handler-parts.ts'
import { buildServer, type ServerOptions } from '#http/server.ts'
import { InstanceFile } from '#adapters/machine/instance-file.ts'
import { serveSecurely } from '#http/secure-server.ts'
import type { Log } from '#log/log-events.ts'
import { version } from '#settings/version.ts'
import type { Settings } from '#settings/config.ts'
import { blame } from '#settings/cannot-start.ts'
import { addressText } from '#settings/setting-values.ts'
import { addressesOf, noteInstance, type Addresses } from './listening/addresses.ts'
import { ClosingOrder, type Open } from './closing.ts'
import { describing, reachable } from './cluster/neighbours.ts'
import { openCore, type Core } from './core.ts'
import type { OpenedEndpoints } from './customers.ts'
import { checkDatabase } from './database/check-database.ts'
import { dataFolder } from './database/open-store.ts'
import { openPlatform, type Platform } from './platform.ts'
import { RestAddress } from './listening/rest-address.ts'
import { describeInstallation, restParts, sipWebSocketPath } from './rest-parts.ts'

export interface Running {
  /** Where the REST interface listens. */
  http: string
  /** Where phones and trunks reach us: `sip:127.0.0.1:5060`. */
  sip: string
  /** Everything that it listens at on this machine. */
  addresses: Addresses
  firstStart: FirstStart
  deps: HandlerDeps
  /** How many calls run. */
  calls(): number
  /** Resolves when the threads that carry calls have answered: not while one is stuck. */
  answers(): Promise<void>
  /** No message and no job that is due is left undone. */
  idle(): Promise<void>
  /** Refuses new calls; resolves when there are none any more, or after that time. */
  drain(ms: number): Promise<void>
  /** Reads again what may have changed without a restart: certificates. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** Parts that tests replace: time, and what costs time. */
export interface Replaced {
  clock?: Clock
  /** How often the waiting tables are looked at, in case another process put something there. */
  pollIntervalMs?: number
  /** How long SQLite waits for others to write with it. */
  commitWindowMs?: number
  /** How long PostgreSQL may take, where not as usual. */
  databaseLimits?: Partial<PostgresLimits>
  /** Joins several services of one test. */
  bus?: Bus
  passwords?: Passwords
  log?: Log
  /** How assistants hear and speak … */
  speech?: Speech
  /** … and whom they ask. */
  endpoints?: OpenedEndpoints
}

/** Builds the whole service, from the platform up to the REST interface, and starts it; closing is the reverse order. */
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

/** How long customers may take to hear of the sessions that end with the service. */
const lastSessionEndsMs = 5_000

const startParts = async (settings: Settings, replaced: Replaced, open: Open): Promise<Omit<Running, 'close'>> => {
  const instanceFile = open(new InstanceFile(settings.OFFHOOK_DATA)) // taken away when nothing is held any more
  const platform = await openPlatform(settings, replaced, open)
  const address = new RestAddress(settings)
  const core = await openCore({ settings, replaced, platform, open, address })
  const { telephone, workers, sms, faxes, presence, speech } = core
  const { messages, trunkMessages } = telephone.telephony
  if (settings.OFFHOOK_METRICS_TOKEN !== undefined) {
    const { openMetrics } = await import('./metrics/open-metrics.ts')
    openMetrics(settings, platform, core, open)
  }
  const installation = describeInstallation(settings, core, address.publicUrl)
  const deps = restParts({ platform, core, installation, passwords: replaced.passwords })
  messages.onText(sendFromPhone({ ...deps, phones: messages }))
  trunkMessages.onText(takeFromTrunk(sms.deps))
  const app = open(buildServer(deps, serverOptions(settings, core)))
  open({ close: () => workers.flush(lastSessionEndsMs) }) // after the telephone, with which the last sessions end
  open(telephone)
  open(faxes) // before the telephone, over which they are hung up
  app.upgrades.add({ path: sipWebSocketPath, enter: (upgrade) => telephone.telephony.takeUpgrade(upgrade) })
  const listenSecurely = openHttps(settings, app, platform)
  address.listensAt(await app.listen(settings.OFFHOOK_HTTP))
  const https = await listenSecurely?.()
  const first = await firstStart(deps, { data: settings.OFFHOOK_DATA, demo: settings.OFFHOOK_DEMO }).catch(blame(dataFolder(settings)))
  await telephone.start()
  await platform.journal?.start()
  await core.recover() // before the workers release what lost calls had reserved
  platform.uploader?.start() // after it is known which calls are over
  await workers.start()
  await sms.start(deps)
  await presence.start()
  const check = await checkDatabase({ settings, ...platform })
  if (check) open(check)
  core.neighbours.start(describing(core, reachable(address.listening(), settings.OFFHOOK_HTTP)))
  speech.prepare(await platform.store.read.flows.languages())
  void core.prepareAgent()
  const { host, port } = installation.sip
  const { reach } = platform.store
  // Closed first: whether the database answers is known then, and nobody waits for it in vain.
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

const drain = async ({ presence, neighbours: peerNodes, handOver, telephone, faxes }: Core, reach: Store['reach'], ms: number): Promise<void> => {
  await reach?.now().catch(() => {})
  presence.stop()
  peerNodes.notify() // nobody hands calls to this one any more
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

/** The REST interface over TLS, where that is wanted without a proxy. It ends with the other one. */
const openHttps = (
  { OFFHOOK_HTTPS: at }: Settings,
  app: ReturnType<typeof buildServer>,
  { certificates: { served } }: Platform,
): (() => Promise<string>) | undefined => {
  if (!at || !served) return undefined
  const listen = serveSecurely(app, served)
  return () => listen(at).catch(blame(`OFFHOOK_HTTPS (${addressText(at)})`))
}
