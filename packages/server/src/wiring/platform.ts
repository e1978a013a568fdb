import { join } from 'node:path'
import { realClock, CallClock, SandboxClock } from '#adapters/clock/clocks.ts'
import { faxPrinter } from '#adapters/fax/fax-printer.ts'
import { pdfjs } from '#adapters/fax/pdfjs.ts'
import { poppler } from '#adapters/fax/poppler.ts'
import { useFromProc, useFromPs } from '#adapters/fax/process-use.ts'
import { isolates } from '#adapters/machine/process-samples.ts'
import { fileMailer } from '#adapters/mail/file-mailer.ts'
import { smtpMailer } from '#adapters/mail/smtp-mailer.ts'
import { localAddresses } from '#adapters/address-rules.ts'
import { allowedAddresses, type AllowedAddresses } from '#adapters/checked-connector.ts'
import { outboundHttp } from '#adapters/outbound-http.ts'
import { outboundSockets } from '#adapters/outbound-sockets.ts'
import { syslogSender } from '#adapters/syslog-sender.ts'
import { CannotStart } from '#settings/cannot-start.ts'
import { openCertificates, type Certificates } from './listening/certificates.ts'
import type { Open } from './closing.ts'
import type { Settings } from '#settings/config.ts'
import { boundedPrinter } from '#core/messages/fax/papers/bounded-printer.ts'
import { IdleCollection } from '#core/operate/metrics/idle-collection.ts'
import { Measurements } from '#core/operate/metrics/measurements.ts'
import { MemoryWatch } from '#core/operate/metrics/memory-watch.ts'
import { MetricSources } from '#core/operate/metrics/families/metric-sources.ts'
import { RoutingCache } from '#core/kernel/changes/routing-cache.ts'
import { RoutingMemory } from '#core/kernel/changes/routing-memory.ts'
import { StorageWatch } from '#core/operate/nodes/storage-watch.ts'
import type { Bus, Vault } from '#core/kernel/ports/platform.ts'
import { busChanges, publishChanges } from '#core/kernel/changes/publish-changes.ts'
import type { Changes, Store } from '#core/kernel/ports/store/index.ts'
import type { PostgresLimits } from '#adapters/store/postgres/postgres-limits.ts'
import { type Clock, evenly } from '#core/kernel/ports/platform.ts'
import type { ExportArchives } from '#core/kernel/ports/account.ts'
import type { FaxFiles, FaxPrinter } from '#core/kernel/ports/messages.ts'
import type { WaitingWrites } from '#core/kernel/work/waiting-writes.ts'
import { WorkSignals } from '#core/kernel/work/work-signals.ts'
import { eventsForAll, publishMessageChanges } from '#core/telephone/blf/message-waiting.ts'
import { Watchers } from '#core/kernel/watchers.ts'
import type { Mailer, OutboundHttp, OutboundSockets, SyslogSender } from '#core/kernel/ports/outbound.ts'
import type { RecordingFiles } from '#core/kernel/ports/files.ts'
import { mayRecord as roomFor, type MayRecord } from '#core/telephone/recordings/recording-room.ts'
import { maxPages } from '#core/messages/orders/fax-document.ts'
import { openLog } from '#log/log.ts'
import { MemoryPool } from '#media/thread/shared-memory.ts'
import { openBus } from './cluster/bus.ts'
import { openKey } from './secret-key.ts'
import { openFiles, type Files } from './files/open-files.ts'
import { openJournal } from './database/open-journal.ts'
import { openStore } from './database/open-store.ts'
import { lookAtMachine, type Machine } from './machine/machine.ts'
import { openPersonalData, type Privacy } from './privacy/open-personal-data.ts'
import { LoadSources } from '#adapters/machine/load-sources.ts'
import { openTraces, type Traces } from './traces/open-traces.ts'
import type { Log } from '#log/log-events.ts'
import { documentReader } from '#adapters/documents/document-reader.ts'
import { startLimited } from '#adapters/fax/limited-child.ts'
import { embeddingModel, type Embeddings } from '#core/assistant/knowledge/embeddings.ts'
import { lookUp } from '#core/assistant/knowledge/look-up.ts'
import type { KnowledgeDeps } from '#core/assistant/knowledge/read-document.ts'
import type { HandlerDeps } from '#http/handler/handler-deps.ts'
import { sandboxAhead } from '#core/operate/sandbox/sandbox.ts'

/** Foundation of all other parts: time, the store, files, the log, and outbound connections. */
export interface Platform extends Clocks, Traces, OpenKnowledge, Privacy {
  vault: Vault
  /** Certificates of servers and of the bus. */
  certificates: Certificates
  store: Store
  /** Store for calls, which continues for a while when the database is unavailable. */
  callStore: Store
  /** Store for requests, each of which looks up its account and user: cached for a database file. */
  restStore: Store
  /** Cached routing while the database is unavailable; undefined for a database file, which cannot be. */
  routing: RoutingMemory | undefined
  /** Writes to repeat when the database is back. */
  journal: WaitingWrites | undefined
  storage: StorageWatch
  /** MWI by account: called when its messages may have changed. */
  messageWaiting: Watchers
  /** Signals of queued outbox messages and jobs. */
  workSignals: WorkSignals
  /** Bus to the peer nodes. */
  bus: Bus
  /** Cache invalidation for changes by any node. */
  changes: Changes
  outbound: OutboundHttp
  syslog: SyslogSender
  sockets: OutboundSockets
  /** The same rules, for parts that connect themselves. */
  allowedAddresses: AllowedAddresses
  mailer: Mailer
  recordingFiles: RecordingFiles
  mayRecord: MayRecord
  faxFiles: FaxFiles
  exportArchives: ExportArchives
  fileWork: Files['fileWork']
  printer: FaxPrinter
  /** Counters of this node. */
  measurements: Measurements
  /** All other sources of /metrics. */
  metrics: MetricSources
  /** Heaps of its threads, and their distance to the limits. */
  memory: MemoryWatch
  /** For audio passed between threads. */
  soundMemory: MemoryPool
  machine: Machine
  /** For the decision about new calls. */
  load: LoadSources
}

interface Replaced {
  clock?: Clock
  log?: Log
  commitWindowMs?: number
  databaseLimits?: Partial<PostgresLimits>
  bus?: Bus
}

/** Behind NAT our public address is on no local interface, but leads back to us. */
const ownAddresses =
  ({ OFFHOOK_PUBLIC_ADDRESS: published }: Settings) =>
  (): string[] => [...localAddresses(), ...(published === undefined ? [] : [published])]

export const openPlatform = async (settings: Settings, replaced: Replaced, open: Open): Promise<Platform> => {
  const plainLog = replaced.log ?? openLog({ level: settings.OFFHOOK_LOG, numbers: settings.OFFHOOK_LOG_NUMBERS })
  const machine = await lookAtMachine(settings)
  const wallClock = replaced.clock ?? realClock()
  const [measurements, metrics, load] = [new Measurements(wallClock), new MetricSources(wallClock), new LoadSources()]
  metrics.add(measurements.samples)
  const traces = await openTraces(settings, { clock: wallClock, log: plainLog, metrics, open })
  const { log } = traces
  const egress = { allow: settings.OFFHOOK_EGRESS_ALLOW, ownAddresses: ownAddresses(settings) }
  const vault = await openKey(settings)
  const messageWaiting = new Watchers()
  const certificates = open(await openCertificates(settings, { clock: wallClock, log }))
  const bus = open(replaced.bus ?? (await openBus({ settings, vault, wallClock, metrics, certificates, log })))
  const changes = busChanges(bus)
  const storage = new StorageWatch((full) => log(full ? 'database_disk_full' : 'database_disk_writable'))
  const { opened: plain, database } = await openStore(settings, { ...replaced, log, metrics, load })
  const opened = open(publishChanges(publishMessageChanges(plain, eventsForAll(messageWaiting, bus)), changes))
  const workSignals = new WorkSignals()
  // A database file belongs to this process: no other process changes it.
  const heard = (): boolean => !opened.reach || (!bus.alone && bus.connected)
  const recent = open(new RoutingCache({ clock: realClock(), changes, heard }))
  const store = recent.watch(workSignals.watch(storage.watch(opened)))
  const routing = openRouting(store, bus, changes, open)
  const time = await openClocks(wallClock, store, settings.OFFHOOK_SANDBOX)
  const files = await openFiles(settings, { store, wallClock: time.wallClock, log, bus }, open)
  const { recordingFiles, faxFiles, exportArchives, fileWork } = files
  const mayRecord = roomFor(store, recordingFiles, settings.OFFHOOK_RECORDINGS_QUOTA)
  const soundMemory = new MemoryPool()
  open(collectWhenIdle(measurements, soundMemory))
  return {
    ...time,
    ...traces,
    vault,
    certificates,
    store,
    callStore: recent.over(routing?.over(store) ?? store),
    // Another node's changes arrive a moment later; a client that uses both nodes would notice.
    restStore: opened.reach ? store : recent.over(store, ['accounts', 'users']),
    routing,
    journal: await openJournal(settings, { store, vault, log }, open),
    storage,
    messageWaiting,
    workSignals,
    bus,
    changes,
    ...openOutside(egress, { store, vault, log }, open),
    mailer: open(openMailer(settings, time.clock, log)),
    ...openPersonalData({ data: settings.OFFHOOK_DATA, database, files, clock: time.clock, vault, bus, changes, routing, log }, open),
    recordingFiles,
    faxFiles,
    exportArchives,
    fileWork,
    mayRecord,
    printer: boundedPrinter({ store, files: faxFiles, printer: openPrinter(faxFiles, machine), mayRecord }),
    measurements,
    metrics,
    memory: open(watchMemory(log)),
    soundMemory,
    machine,
    load,
  }
}

/** Outbound connections to customers' addresses, and readers of their content. */
const openOutside = (egress: Parameters<typeof outboundHttp>[0], parts: Pick<Platform, 'store' | 'vault' | 'log'>, open: Open) => {
  const outbound = open(outboundHttp(egress))
  const sockets = open(outboundSockets(egress))
  const syslog = open(syslogSender(egress))
  return { outbound, sockets, syslog, allowedAddresses: allowedAddresses(egress), ...openKnowledge({ ...parts, outbound }) }
}

const openPrinter = (files: FaxFiles, { paper, watching }: Machine): FaxPrinter =>
  faxPrinter({
    files,
    maxPages,
    renderer: paper === 'poppler' ? poppler : pdfjs,
    limits: { readUse: watching === '/proc' ? useFromProc : useFromPs },
  })

/** In real time, also when tests replace the clock. */
const watchMemory = (log: Log): MemoryWatch =>
  new MemoryWatch({
    clock: realClock(),
    isolates,
    changed({ thread, id, heapUsed, heapLimit, nearLimit }) {
      log(nearLimit ? 'heap_near_limit' : 'heap_below_limit', { thread, id, heapUsed, heapLimit })
    },
  })

/** Only with the heap limits that the launcher sets; the operator chose any other limits. */
const collectWhenIdle = ({ total }: Measurements, soundMemory: MemoryPool): IdleCollection =>
  new IdleCollection({
    clock: realClock(),
    calls: () => ({ started: total.callsStarted, running: total.callsRunning }),
    trim: () => soundMemory.trim(),
    collect: () => globalThis.gc?.(),
  })

const openMailer = (settings: Settings, clock: Clock, log: Log): Mailer & { close?(): Promise<void> } => {
  const from = settings.OFFHOOK_MAIL_FROM
  if (settings.OFFHOOK_SMTP_URL !== undefined) return smtpMailer({ url: settings.OFFHOOK_SMTP_URL, from })
  const onWritten = (path: string): void => log('mail_written_to_file', { path })
  return fileMailer({ directory: join(settings.OFFHOOK_DATA, 'mail'), from, clock, onWritten })
}

/** Cached routing while the database is unavailable. Complete as long as the bus reports every change. */
const openRouting = ({ reach }: Store, bus: Bus, changes: Changes, open: Open): RoutingMemory | undefined => {
  if (!reach) return undefined
  const memory = new RoutingMemory({ clock: realClock(), reach, exact: () => bus.connected })
  const stop = memory.heed(changes)
  open({ close: async () => stop() })
  return memory
}

/** Knowledge base of assistants. */
interface OpenKnowledge {
  /** For reading and indexing. */
  knowledge: KnowledgeDeps
  lookUp: HandlerDeps['lookUp']
}

const openKnowledge = ({ store, outbound, vault, log }: Pick<HandlerDeps, 'store' | 'outbound' | 'vault' | 'log'>): OpenKnowledge => {
  const embeddings: Embeddings = (accountId, flowId) => embeddingModel(store.read, vault, accountId, flowId)
  const knowledge: KnowledgeDeps = { store, outbound, reader: documentReader({ startLimited }), embeddings }
  const onProblem = (flowId: string, error: Error): void => log('knowledge_embeddings_failed', { err: error, flowId })
  return { knowledge, lookUp: (flow, question, limit) => lookUp({ ...knowledge, onProblem }, flow, question, limit) }
}

/** All clocks show the same time, unless this is a sandbox or the machine's clock is set. */
interface Clocks {
  /** For everything that is due at a time; the operator of a sandbox can shift it. */
  clock: Clock
  /** For calls and related data: never jumps during a call. */
  callClock: CallClock
  /** Real time: for phones, audio and everything that peers compare with their own clocks. */
  wallClock: Clock
  /** Monotonic clock that starts at the real time: for measured durations, such as rates and bans. */
  evenClock: Clock
  sandboxTime: { clock: SandboxClock; callClock: CallClock } | undefined
}

/** A shifted sandbox stays ahead after a restart. */
export const openClocks = async (wallClock: Clock, store: Store, isSandbox: boolean): Promise<Clocks> => {
  const aheadMs = await sandboxAhead(store.read)
  if (!isSandbox && aheadMs > 0)
    throw new CannotStart(
      `This database is a sandbox whose time is ${Math.ceil(aheadMs / 60_000)} minutes ahead. Set OFFHOOK_SANDBOX=on, or use another database.`,
      undefined,
    )
  const evenClock = evenly(wallClock)
  if (!isSandbox) return { clock: wallClock, callClock: new CallClock(wallClock), wallClock, evenClock, sandboxTime: undefined }
  const clock = new SandboxClock(wallClock)
  clock.putForward(aheadMs)
  const callClock = new CallClock(wallClock, clock)
  return { clock, callClock, wallClock, evenClock, sandboxTime: { clock, callClock } }
}
