import { join } from 'node:path'
import { realClock } from '#adapters/clock/real-clock.ts'
import { faxPrinter } from '#adapters/fax/fax-printer.ts'
import { pdfjs } from '#adapters/fax/pdfjs.ts'
import { poppler } from '#adapters/fax/poppler.ts'
import { useFromProc, useFromPs } from '#adapters/fax/process-use.ts'
import { isolates } from '#adapters/machine/isolates.ts'
import { fileMailer } from '#adapters/mail/file-mailer.ts'
import { smtpMailer } from '#adapters/mail/smtp-mailer.ts'
import { localAddresses } from '#adapters/address-rules.ts'
import { allowedAddresses, type AllowedAddresses } from '#adapters/checked-connector.ts'
import { outboundHttp } from '#adapters/outbound-http.ts'
import { outboundSockets } from '#adapters/outbound-sockets.ts'
import { openVault } from '#adapters/vault/file-vault.ts'
import { blame } from '#settings/cannot-start.ts'
import { openCertificates, type Certificates } from './listening/certificates.ts'
import { openKnowledge, type OpenKnowledge } from './files/knowledge.ts'
import type { Open } from './closing.ts'
import type { Settings } from '#settings/config.ts'
import { boundedPrinter } from '#core/messages/fax/papers/printer-with-room.ts'
import { IdleCollection } from '#core/operate/metrics/idle-collection.ts'
import { Measurements } from '#core/operate/metrics/measurements.ts'
import { MemoryWatch } from '#core/operate/metrics/memory-watch.ts'
import { MetricSources } from '#core/operate/metrics/families/metric-sources.ts'
import { RoutingCache } from '#core/operate/nodes/routing-cache.ts'
import type { RoutingMemory } from '#core/operate/nodes/routing-memory.ts'
import { StorageWatch } from '#core/operate/nodes/storage-watch.ts'
import type { Bus } from '#core/kernel/ports/bus.ts'
import { busChanges } from '#core/kernel/changes/bus-changes.ts'
import { publishChanges } from '#core/kernel/changes/publish-changes.ts'
import type { Changes } from '#core/kernel/ports/changes.ts'
import type { PostgresLimits } from '#adapters/store/postgres/postgres-limits.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { FaxFiles, FaxPrinter } from '#core/kernel/ports/fax-papers.ts'
import type { WaitingWrites } from '#core/kernel/work/waiting-writes.ts'
import { WorkSignals } from '#core/kernel/work/work-news.ts'
import { eventsForAll, publishMessageChanges } from '#core/telephone/blf/message-waiting.ts'
import { Watchers } from '#core/kernel/watchers.ts'
import type { Mailer } from '#core/kernel/ports/mailer.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { OutboundSockets } from '#core/kernel/ports/outbound-sockets.ts'
import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { mayRecord as roomFor, type MayRecord } from '#core/telephone/recordings/recording-room.ts'
import { maxPages } from '#core/messages/orders/fax-document.ts'
import { openLog } from '#log/log.ts'
import { MemoryPool } from '#media/thread/memory-pool.ts'
import { openBus } from './cluster/bus.ts'
import { openFiles, type Files } from './files/open-files.ts'
import { openClocks, type Clocks } from './clocks.ts'
import { openJournal } from './database/open-journal.ts'
import { openRouting } from './database/open-routing.ts'
import { openStore } from './database/open-store.ts'
import { lookAtMachine, type Machine } from './machine/machine.ts'
import { openTraces, type Traces } from './traces/open-traces.ts'
import type { Log } from '#log/log-events.ts'

/** What everything else stands on: time, the store, files, the log, and the ways to the outside. */
export interface Platform extends Clocks, Traces, OpenKnowledge {
  vault: Vault
  /** Of servers and of the bus. */
  certificates: Certificates
  store: Store
  /** The same for the path of calls, which goes on for a while when the database is away. */
  callStore: Store
  /** The same for requests, each of which asks who it comes from. */
  restStore: Store
  /** What it knows meanwhile; a database that is a file cannot be away. */
  routing: RoutingMemory | undefined
  /** What is to be written when the database is back. */
  journal: WaitingWrites | undefined
  storage: StorageWatch
  /** By account: its messages may have changed. */
  messageWaiting: Watchers
  /** What was put into the outbox and the jobs. */
  workSignals: WorkSignals
  /** To the other processes of the installation. */
  bus: Bus
  /** What caches have to drop, whoever changed it. */
  changes: Changes
  outbound: OutboundHttp
  sockets: OutboundSockets
  /** By the same rules, for what connects by itself. */
  allowedAddresses: AllowedAddresses
  mailer: Mailer
  recordingFiles: RecordingFiles
  mayRecord: MayRecord
  faxFiles: FaxFiles
  uploader: Files['uploader']
  printer: FaxPrinter
  /** What this process counts … */
  measurements: Measurements
  /** … and everything else that /metrics shows. */
  metrics: MetricSources
  /** Heaps of its threads, and how close they are to their limits. */
  memory: MemoryWatch
  /** For audio that threads pass to each other. */
  soundMemory: MemoryPool
  machine: Machine
}

interface Replaced {
  clock?: Clock
  log?: Log
  commitWindowMs?: number
  databaseLimits?: Partial<PostgresLimits>
  bus?: Bus
}

/** Behind NAT the address at which others reach us is on no interface here, but leads back to us. */
const ownAddresses =
  ({ OFFHOOK_PUBLIC_ADDRESS: published }: Settings) =>
  (): string[] => [...localAddresses(), ...(published === undefined ? [] : [published])]

export const openPlatform = async (settings: Settings, replaced: Replaced, open: Open): Promise<Platform> => {
  const plainLog = replaced.log ?? openLog({ level: settings.OFFHOOK_LOG, numbers: settings.OFFHOOK_LOG_NUMBERS })
  const machine = await lookAtMachine(settings)
  const wallClock = replaced.clock ?? realClock()
  const measurements = new Measurements(wallClock)
  const metrics = new MetricSources(wallClock)
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
  const opened = open(
    publishChanges(publishMessageChanges(await openStore(settings, { ...replaced, log, metrics }), eventsForAll(messageWaiting, bus)), changes),
  )
  const workSignals = new WorkSignals()
  // A database that is a file belongs to this process: nobody else changes it.
  const heard = (): boolean => !opened.reach || (!bus.alone && bus.connected)
  const recent = open(new RoutingCache({ clock: realClock(), changes, heard }))
  const store = recent.watch(workSignals.watch(storage.watch(opened)))
  const routing = openRouting(store, bus, changes, open)
  const time = await openClocks(wallClock, store, settings.OFFHOOK_SANDBOX)
  const { recordingFiles, faxFiles, uploader } = await openFiles(settings, { store, wallClock: time.wallClock, log }, open)
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
    // What one process has changed another may hear of a moment later; who asks both would see it.
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
    recordingFiles,
    mayRecord,
    faxFiles,
    uploader,
    printer: boundedPrinter({ store, files: faxFiles, printer: openPrinter(faxFiles, machine), mayRecord }),
    measurements,
    metrics,
    memory: open(watchMemory(log)),
    soundMemory,
    machine,
  }
}

/** The ways to customers' addresses, and what is read there. */
const openOutside = (egress: Parameters<typeof outboundHttp>[0], parts: Pick<Platform, 'store' | 'vault' | 'log'>, open: Open) => {
  const outbound = open(outboundHttp(egress))
  const sockets = open(outboundSockets(egress))
  return { outbound, sockets, allowedAddresses: allowedAddresses(egress), ...openKnowledge({ ...parts, outbound }) }
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

/** Only with the heap limits that the launcher sets; other limits were chosen by the operator. */
const collectWhenIdle = ({ total }: Measurements, soundMemory: MemoryPool): IdleCollection =>
  new IdleCollection({
    clock: realClock(),
    calls: () => ({ started: total.callsStarted, running: total.callsRunning }),
    trim: () => soundMemory.trim(),
    collect: () => globalThis.gc?.(),
  })

/** Opened before the store, whose secrets cannot be read without the key. */
const openKey = (settings: Settings): Promise<Vault> => {
  const { OFFHOOK_DATA, OFFHOOK_SECRET_KEY: key } = settings
  const opened = openVault({ file: join(OFFHOOK_DATA, 'secret.key'), ...(key !== undefined && { key }) })
  return opened.catch(blame(`The secret key in the data folder ${OFFHOOK_DATA}`, () => true))
}

const openMailer = (settings: Settings, clock: Clock, log: Log): Mailer & { close?(): Promise<void> } => {
  const from = settings.OFFHOOK_MAIL_FROM
  if (settings.OFFHOOK_SMTP_URL !== undefined) return smtpMailer({ url: settings.OFFHOOK_SMTP_URL, from })
  const onWritten = (path: string): void => log('mail_written_to_file', { path })
  return fileMailer({ directory: join(settings.OFFHOOK_DATA, 'mail'), from, clock, onWritten })
}
