import { bookingSweep } from '#core/account/calendars/book.ts'
import type { Log } from '#log/log-events.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import { handOverJobs } from '#core/account/accounts/deactivate-user.ts'
import { leaseJobs } from '#core/telephone/call/takeover/end-lost-call.ts'
import { identityJobs, identitySweep } from '#core/account/identity/housekeeping.ts'
import { deliverSessionEnd } from '#core/assistant/delivery/events/deliver-session-end.ts'
import { deliverySweep } from '#core/assistant/delivery/attempts/attempt.ts'
import { assistantEraseJobs } from '#core/assistant/clean-ups.ts'
import { knowledgeJobs, parkedKnowledge, type KnowledgeDeps } from '#core/assistant/knowledge/read-document.ts'
import { resultJobs, resultKind } from '#core/assistant/results/announce-result.ts'
import { deliverResult, resultSweep } from '#core/assistant/results/deliver-result.ts'
import { concurrentCustomerMessages, customerRetries, customerSpread } from '#core/kernel/webhook/retry-schedule.ts'
import { eraseFaxesOf, eraseFaxJobs } from '#core/messages/fax/erasing/erase-fax.ts'
import { faxSweeps } from '#core/messages/fax/erasing/fax-sweep.ts'
import { keepFaxJobs } from '#core/messages/fax/receiving/keep-fax.ts'
import { faxJobs, type FaxJobsDeps } from '#core/messages/fax/fax-jobs.ts'
import { notificationJobs } from '#core/messages/notifications/notify-of-events.ts'
import { deliverMail } from '#core/kernel/mail/queue-mail.ts'
import { metricSweep } from '#core/operate/nodes/metric-sweep.ts'
import { dayAlarmJobs } from '#core/money/day-alarm.ts'
import { lowBalanceJobs } from '#core/money/charge.ts'
import { statementSweep } from '#core/money/statement-sweep.ts'
import { idempotencySweep, moneyJobs } from '#core/money/jobs.ts'
import { numberJobs } from '#core/account/numbers/number-jobs.ts'
import { deliverCarrierMessage } from '#core/account/portings/deliver.ts'
import type { PortingContext } from '#core/account/portings/porting-record.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Endpoints } from '#core/kernel/ports/assistant.ts'
import type { ExportArchives, PersonalData } from '#core/kernel/ports/account.ts'
import type { FaxFiles, FaxPrinter } from '#core/kernel/ports/messages.ts'
import type { Mailer, OutboundHttp, SyslogSender } from '#core/kernel/ports/outbound.ts'
import type { RecordingFiles } from '#core/kernel/ports/files.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { recordingJobs } from '#core/telephone/recordings/recording-jobs.ts'
import { transcriptionJobs } from '#core/telephone/recordings/transcribe-message.ts'
import { recordingSweeps } from '#core/telephone/recordings/recording-sweep.ts'
import { exchangeSweep } from '#core/telephone/push/exchange-log.ts'
import { notificationKind } from '#core/telephone/push/notifications.ts'
import { atMost } from '#core/kernel/work/waiting.ts'
import { programSweep } from '#core/messages/sms/programs/program-notes.ts'
import { concurrentSms, smsJobs, smsRetries, smsSweeps } from '#core/messages/sms/sms-jobs.ts'
import type { SmsParts } from '#core/messages/sms/state/sms-parts.ts'
import { sessionSweep } from '#core/assistant/session/write-end.ts'
import { timelineJobs, timelineSweep } from '#core/telephone/timeline/timeline-sweep.ts'
import { retentionJobs, retentionSweep } from '#core/operate/retention/retention-sweep.ts'
import { auditStreamJobs } from '#core/operate/audit-streams/deliver-entries.ts'
import { exportJobs } from '#core/operate/privacy/build-export.ts'
import { exportSweeps } from '#core/operate/privacy/export-sweep.ts'
import { erasureJobs } from '#core/operate/privacy/run-erasure.ts'
import { partitionSweep } from '#core/operate/nodes/partition-sweep.ts'
import { outboxSweep, recurringTasks, startRecurring, type Recurring, type RecurringWork } from '#core/kernel/work/recurring.ts'
import { SharedPoller } from '#core/kernel/work/shared-poller.ts'
import type { WorkSignals } from '#core/kernel/work/work-signals.ts'
import { Worker, type Task } from '#core/kernel/work/worker.ts'
import { allCleanUps } from './clean-ups.ts'
import type { Recovery } from './leases.ts'

export interface WorkerDeps {
  store: Store
  /** Store for lookups during calls. */
  callStore: Store
  /** Decides what is due. All three are explained in `clocks.ts`. */
  clock: Clock
  /** For the leases of nodes. */
  callClock: Clock
  /** For the leases of single entries. */
  wallClock: Clock
  vault: Vault
  mailer: Mailer
  outbound: OutboundHttp
  syslog: SyslogSender
  endpoints: Endpoints
  /** Reads and indexes the knowledge base. */
  knowledge: KnowledgeDeps
  porting: PortingContext
  sms: SmsParts
  sendFax: FaxJobsDeps['send']
  printer: FaxPrinter
  faxFiles: FaxFiles
  personalData: PersonalData
  exportArchives: ExportArchives
  /** Notifies accounts' software about calls. */
  deliverNotification: Task
  /** Recovers calls of lost nodes. */
  recovery: Recovery
  recordings: { files: RecordingFiles; retentionDays: number; waitHours: number }
  /** Transcribes messages, until the service ends. */
  writing: { speech: Pick<Speech, 'stt'>; signal: AbortSignal }
  /** Days of retention of timelines; undefined: unlimited. */
  timelineDays: number | undefined
  /** Work that people do outside of a sandbox. */
  sandboxWork: readonly RecurringWork[]
  log: Log
  /** Called when a message or a job of this kind was given up. */
  onGivenUp: (kind: string) => void
  /** Signals writes of this process. */
  workSignals: WorkSignals
  /** Poll interval for writes of other nodes. */
  pollIntervalMs: number
}

export interface Workers {
  start(): Promise<void>
  /** Runs due work that is known here. */
  wake(): void
  /** Polls and runs due work, including that of other nodes. */
  look(): void
  idle(): Promise<void>
  /** Due time of the next unclaimed entry; recurring sweeps do not count. */
  nextWaiting(): Promise<number | undefined>
  /** Delivers the ends of sessions and calls to customers; resolves after `ms` at the latest. */
  flush(ms: number): Promise<void>
  close(): Promise<void>
}

const minute = 60_000
const messageRetries = [5_000, minute, 5 * minute, 30 * minute, 120 * minute, 300 * minute]
const recurring = [
  outboxSweep,
  idempotencySweep,
  identitySweep,
  sessionSweep,
  deliverySweep,
  bookingSweep,
  exchangeSweep,
  ...smsSweeps,
  programSweep,
  partitionSweep,
]
const documentsAtOnce = 2
const concurrentStreams = 32
/** A file store may be unavailable for hours. */
const privacyRetries = [minute, 5 * minute, 30 * minute, ...Array.from({ length: 24 }, () => 60 * minute)]
const jobRetries = Array.from({ length: 20 }, () => minute)

/** Every kind of outbox message and job, with its handler. */
export const buildWorkers = (deps: WorkerDeps): Workers => {
  const { store, clock } = deps
  const sweeping = recurringWork(deps)
  const sweeps = new Set(sweeping.map(({ kind }) => kind))
  const again = [...sweeping, ...deps.sandboxWork]
  const { outbox, sessionEnds, results, notifications } = messengers(deps)
  const texts = messageWorker(deps)
  const documents = documentWorker(deps)
  const privacy = privacyWorker(deps, () => outbox.nudge())
  const streams = streamWorker(deps)
  const jobs = jobWorker(deps, again, {
    outbox: () => outbox.nudge(),
    onEvent: () => {
      outbox.nudge()
      texts.nudge()
      results.nudge()
    },
  })
  const customers = [sessionEnds, results, notifications]
  // Jobs queue outbox messages, so they come first.
  const byTheClock = [jobs, texts, documents, privacy, streams, outbox, sessionEnds, results, notifications]
  const inOrder = [presenceWorker(deps, () => customers.forEach((worker) => worker.nudge())), ...byTheClock]
  const intervalMs = deps.pollIntervalMs
  const others = new SharedPoller(
    { store, clock, intervalMs, onError: (error) => deps.log('job_failed', { err: error, kind: 'queue' }) },
    inOrder,
  )
  const look = (): void => {
    for (const worker of inOrder) worker.wake()
  }
  deps.workSignals.add(...inOrder)
  return {
    async start() {
      await startRecurring(store, clock, again)
      for (const worker of inOrder) worker.start()
      others.start()
    },
    wake() {
      for (const worker of inOrder) worker.nudge()
    },
    look,
    async idle() {
      await others.idle()
      // A message may cause a notification, and that a mail.
      for (let round = 0; round < 3; round++) for (const worker of inOrder) await worker.idle()
    },
    async nextWaiting() {
      const due = await Promise.all(byTheClock.map((worker) => worker.nextWaiting(sweeps)))
      return due.reduce((first, next) => (first === undefined || (next !== undefined && next < first) ? next : first))
    },
    async flush(ms) {
      for (const worker of customers) worker.wake()
      await atMost(realClock(), ms, Promise.all(customers.map((worker) => worker.idle())), undefined)
    },
    async close() {
      await others.close()
      for (const worker of inOrder) await worker.close()
    },
  }
}

/** Sweeps and other recurring work. */
const recurringWork = (deps: WorkerDeps): (Recurring | RecurringWork)[] => {
  const { store, clock, wallClock, recordings, timelineDays, faxFiles, exportArchives: archives } = deps
  const { files, retentionDays, waitHours } = recordings
  return [
    ...recurring,
    timelineSweep(timelineDays),
    resultSweep(timelineDays),
    ...recordingSweeps({ store, clock, wallClock, files, retentionDays, waitHours }),
    ...faxSweeps({ store, clock, wallClock, files: faxFiles, retentionDays }),
    ...exportSweeps({ store, clock, archives }),
    metricSweep(store, wallClock),
    statementSweep(store, clock),
    retentionSweep({ store, clock }),
  ]
}

const jobWorker = (
  deps: WorkerDeps,
  repeated: readonly (Recurring | RecurringWork)[],
  wake: { outbox: () => void; onEvent: () => void },
): Worker => {
  const { store, clock, wallClock, vault, porting, recordings } = deps
  const { files } = recordings
  const jobs: Worker = new Worker({
    store,
    clock,
    wallClock,
    queue: (tables) => tables.jobs,
    retryAfterMs: jobRetries,
    tasks: {
      ...recurringTasks(store, clock, repeated),
      ...recordingJobs({ store, clock, files, alsoErase: (tables, ...own) => eraseFaxesOf(tables, clock, ...own) }),
      ...timelineJobs({ store }),
      ...transcriptionJobs({ store, clock, files, ...deps.writing, wake: () => jobs.nudge() }),
      ...assistantEraseJobs({ store, clock }),
      ...resultJobs({ store, clock, wake: wake.onEvent }),
      ...retentionJobs({ store, clock, wake: () => jobs.nudge() }),
      ...eraseFaxJobs({ store, clock, files: deps.faxFiles }),
      ...keepFaxJobs({ store, clock, files: deps.faxFiles, printer: deps.printer, wake: () => jobs.nudge() }),
      ...notificationJobs({ store, clock, vault, sms: deps.sms, wake: wake.onEvent }),
      ...faxJobs({ store, clock, printer: deps.printer, send: deps.sendFax }),
      ...moneyJobs(store, clock),
      ...dayAlarmJobs({ store, clock, vault, wake: wake.onEvent }),
      ...handOverJobs({ store, clock }),
      ...lowBalanceJobs({ store, clock, vault, wake: wake.onEvent }),
      ...identityJobs({ store, clock, vault, publicUrl: porting.publicUrl, wake: wake.outbox }),
      ...numberJobs({ store, context: porting, wake: wake.outbox }),
    },
    ...reports(deps),
  })
  return jobs
}

/** Workers' reports for operators. */
const reports = (
  { log, onGivenUp }: Pick<WorkerDeps, 'log' | 'onGivenUp'>,
  failure: 'job_failed' | 'sms_not_sent' | 'delivery_failed' = 'job_failed',
) => ({
  onError: (kind: string, error: unknown) => log(failure, { err: error, kind }),
  onParked: (kind: string) => log('job_parked', { kind }),
  onGivenUp,
})

/** Leases of nodes use the clock of calls, which never jumps during a call. */
const presenceWorker = ({ store, callClock, wallClock, recovery, ...parts }: WorkerDeps, wake: () => void): Worker =>
  new Worker({
    store,
    clock: callClock,
    wallClock,
    queue: (tables) => tables.jobs,
    retryAfterMs: jobRetries,
    tasks: leaseJobs({ ...recovery, wake }),
    ...reports(parts),
  })

/** Exports and erasures have a separate worker: they take long, and a low concurrency keeps the service responsive. */
const privacyWorker = (deps: WorkerDeps, wake: () => void): Worker => {
  const { store, clock, wallClock, vault, personalData, exportArchives: archives, writing } = deps
  const common = { store, clock, vault, personalData, archives, maxAttempts: privacyRetries.length + 1, wake }
  return new Worker({
    store,
    clock,
    wallClock,
    queue: (tables) => tables.jobs,
    retryAfterMs: privacyRetries,
    concurrency: 2,
    tasks: { ...exportJobs({ ...common, signal: writing.signal }), ...erasureJobs({ ...common, cleanups: allCleanUps(clock) }) },
    ...reports(deps),
  })
}

/** Audit streams have a separate worker: slow receivers must not delay other jobs. */
const streamWorker = (deps: WorkerDeps): Worker => {
  const { store, clock, wallClock, vault, outbound, syslog, porting } = deps
  const host = (): string => new URL(porting.publicUrl()).hostname
  return new Worker({
    store,
    clock,
    wallClock,
    queue: (tables) => tables.jobs,
    retryAfterMs: jobRetries,
    concurrency: concurrentStreams,
    tasks: auditStreamJobs({ store, clock, wallClock, vault, outbound, syslog, host }),
    ...reports(deps),
  })
}

/** SMS have a separate worker: slow message centres must not delay other jobs. */
const messageWorker = ({ store, clock, wallClock, sms, ...parts }: WorkerDeps): Worker =>
  new Worker({
    store,
    clock,
    wallClock,
    queue: (tables) => tables.jobs,
    retryAfterMs: smsRetries,
    concurrency: concurrentSms,
    tasks: smsJobs(sms),
    ...reports(parts, 'sms_not_sent'),
  })

/** Documents have a separate worker: each is read by its own process, which uses a CPU for a while. */
const documentWorker = ({ store, clock, wallClock, knowledge, writing, ...parts }: WorkerDeps): Worker =>
  new Worker({
    store,
    clock,
    wallClock,
    queue: (tables) => tables.jobs,
    retryAfterMs: jobRetries,
    concurrency: documentsAtOnce,
    tasks: knowledgeJobs({ ...knowledge, signal: writing.signal }),
    parked: parkedKnowledge(knowledge),
    ...reports(parts),
  })

/** All take from the outbox; deliveries to customers have separate workers, because they are many and may be slow. */
const messengers = (deps: WorkerDeps) => {
  const { store, clock, wallClock, vault, mailer, outbound, endpoints, porting, deliverNotification } = deps
  const all = {
    store,
    clock,
    wallClock,
    queue: (tables: Tables) => tables.outbox,
    ...reports(deps, 'delivery_failed'),
  }
  const outbox = new Worker({
    ...all,
    retryAfterMs: messageRetries,
    tasks: {
      mail: deliverMail(vault, mailer, deps.faxFiles),
      carrier: deliverCarrierMessage({ store, wallClock, vault, outbound, context: porting }),
    },
  })
  const customers = { ...all, retryAfterMs: customerRetries, spread: customerSpread, concurrency: concurrentCustomerMessages }
  const sessionEnds = new Worker({ ...customers, tasks: { session_end: deliverSessionEnd({ store: deps.callStore, endpoints }) } })
  const results = new Worker({ ...customers, tasks: { [resultKind]: deliverResult({ store, clock, wallClock, vault, outbound }) } })
  const notifications = new Worker({ ...customers, tasks: { [notificationKind]: deliverNotification } })
  return { outbox, sessionEnds, results, notifications }
}
