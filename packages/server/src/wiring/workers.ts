import type { Log } from '#log/log-events.ts'
import { realClock } from '#adapters/clock/real-clock.ts'
import { handOverJobs } from '#core/account/accounts/hand-over.ts'
import { leaseJobs } from '#core/telephone/call/takeover/recover-calls.ts'
import { identityJobs, identitySweep } from '#core/account/identity/housekeeping.ts'
import { deliverSessionEnd } from '#core/assistant/delivery/events/deliver-session-end.ts'
import { deliverySweep } from '#core/assistant/delivery/attempts/delivery-sweep.ts'
import { assistantEraseJobs } from '#core/assistant/clean-ups.ts'
import { knowledgeJobs, type KnowledgeDeps } from '#core/assistant/knowledge/read-document.ts'
import { resultJobs, resultKind } from '#core/assistant/results/announce-result.ts'
import { deliverResult } from '#core/assistant/results/deliver-result.ts'
import { resultSweep } from '#core/assistant/results/result-sweep.ts'
import { concurrentCustomerMessages, customerRetries, customerSpread } from '#core/kernel/webhook/retry-schedule.ts'
import { eraseFaxesOf, eraseFaxJobs } from '#core/messages/fax/erasing/erase-fax.ts'
import { faxSweeps } from '#core/messages/fax/erasing/fax-sweep.ts'
import { keepFaxJobs } from '#core/messages/fax/receiving/keep-fax.ts'
import { faxJobs, type FaxJobsDeps } from '#core/messages/fax/fax-jobs.ts'
import { notificationJobs } from '#core/messages/notifications/notify-of-events.ts'
import { deliverMail } from '#core/kernel/mail/queue-mail.ts'
import { metricSweep } from '#core/operate/nodes/metric-sweep.ts'
import { dayAlarmJobs } from '#core/money/day-alarm.ts'
import { lowBalanceJobs } from '#core/money/low-balance.ts'
import { statementSweep } from '#core/money/statement-sweep.ts'
import { idempotencySweep, moneyJobs } from '#core/money/jobs.ts'
import { numberJobs } from '#core/account/numbers/number-jobs.ts'
import { deliverCarrierMessage } from '#core/account/portings/deliver.ts'
import type { PortingContext } from '#core/account/portings/porting-record.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Endpoints } from '#core/kernel/ports/assistant/endpoint.ts'
import type { FaxFiles, FaxPrinter } from '#core/kernel/ports/fax-papers.ts'
import type { Mailer } from '#core/kernel/ports/mailer.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { recordingJobs } from '#core/telephone/recordings/recording-jobs.ts'
import { transcriptionJobs } from '#core/telephone/recordings/transcribe-message.ts'
import { recordingSweeps } from '#core/telephone/recordings/recording-sweep.ts'
import { exchangeSweep } from '#core/telephone/push/exchange-sweep.ts'
import { notificationKind } from '#core/telephone/push/notifications.ts'
import { atMost } from '#core/kernel/work/at-most.ts'
import { programSweep } from '#core/messages/sms/programs/program-notes.ts'
import { concurrentSms, smsJobs, smsRetries, smsSweeps } from '#core/messages/sms/sms-jobs.ts'
import type { SmsParts } from '#core/messages/sms/state/sms-parts.ts'
import { sessionSweep } from '#core/assistant/session/recover.ts'
import { timelineJobs, timelineSweep } from '#core/telephone/timeline/timeline-sweep.ts'
import { partitionSweep } from '#core/operate/nodes/partition-sweep.ts'
import { outboxSweep } from '#core/kernel/work/outbox-sweep.ts'
import { recurringTasks, startRecurring, type Recurring, type RecurringWork } from '#core/kernel/work/recurring.ts'
import { SharedPoller } from '#core/kernel/work/shared-poller.ts'
import type { WorkSignals } from '#core/kernel/work/work-news.ts'
import { Worker, type Task } from '#core/kernel/work/worker.ts'
import type { Recovery } from './leases.ts'

export interface WorkerDeps {
  store: Store
  /** The same, for what is asked in every call. */
  callStore: Store
  /** Decides what is due. All three are explained in `clocks.ts`. */
  clock: Clock
  /** For the leases of processes, */
  callClock: Clock
  /** and for the leases of single entries. */
  wallClock: Clock
  vault: Vault
  mailer: Mailer
  outbound: OutboundHttp
  endpoints: Endpoints
  /** Reads and indexes what assistants can look up. */
  knowledge: KnowledgeDeps
  porting: PortingContext
  sms: SmsParts
  sendFax: FaxJobsDeps['send']
  printer: FaxPrinter
  faxFiles: FaxFiles
  /** Tells accounts' own software about calls. */
  deliverNotification: Task
  /** Ends what other processes had that are gone. */
  recovery: Recovery
  recordings: { files: RecordingFiles; keptDays: number }
  /** Writes messages down, until the service ends. */
  writing: { speech: Pick<Speech, 'stt'>; signal: AbortSignal }
  /** How many days timelines are kept; undefined: for ever. */
  timelineDays: number | undefined
  /** What people would do outside of a sandbox. */
  sandboxWork: readonly RecurringWork[]
  log: Log
  /** A message or a job of this kind was given up. */
  onGivenUp: (kind: string) => void
  /** Tells of what this process writes; */
  workSignals: WorkSignals
  /** what others write is looked for this often. */
  pollIntervalMs: number
}

export interface Workers {
  start(): Promise<void>
  /** Does what is due, as far as it is known here. */
  wake(): void
  /** Does what is due, also what others wrote. */
  look(): void
  idle(): Promise<void>
  /** When the next entry is due that no worker has taken; sweeps, which recur anyway, do not count. */
  nextWaiting(): Promise<number | undefined>
  /** Tells customers of sessions and calls that have just ended; resolves after `ms` at the latest. */
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
  exchangeSweep,
  ...smsSweeps,
  programSweep,
  partitionSweep,
]
const jobRetries = Array.from({ length: 20 }, () => minute)

/** Every kind of outbox message and job, with what handles it. */
export const buildWorkers = (deps: WorkerDeps): Workers => {
  const { store, clock } = deps
  const sweeping = recurringWork(deps)
  const sweeps = new Set(sweeping.map(({ kind }) => kind))
  const again = [...sweeping, ...deps.sandboxWork]
  const { outbox, sessionEnds, results, notifications } = messengers(deps)
  const texts = messageWorker(deps)
  const jobs = jobWorker(deps, again, {
    outbox: () => outbox.nudge(),
    onEvent: () => {
      outbox.nudge()
      texts.nudge()
      results.nudge()
    },
  })
  const customers = [sessionEnds, results, notifications]
  // Jobs put messages into the outbox, so they come first.
  const byTheClock = [jobs, texts, outbox, sessionEnds, results, notifications]
  const inOrder = [presenceWorker(deps, () => customers.forEach((worker) => worker.nudge())), ...byTheClock]
  const intervalMs = deps.pollIntervalMs
  const others = new SharedPoller(
    { store, clock, everyMs: intervalMs, onError: (error) => deps.log('job_failed', { err: error, kind: 'queue' }) },
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

/** Sweeps and other work that recurs. */
const recurringWork = ({ store, clock, wallClock, recordings, timelineDays, faxFiles }: WorkerDeps): (Recurring | RecurringWork)[] => {
  const { files, keptDays: retentionDays } = recordings
  return [
    ...recurring,
    timelineSweep(timelineDays),
    resultSweep(timelineDays),
    ...recordingSweeps({ store, clock, wallClock, files, keptDays: retentionDays }),
    ...faxSweeps({ store, clock, wallClock, files: faxFiles, keptDays: retentionDays }),
    metricSweep(store, wallClock),
    statementSweep(store, clock),
  ]
}

const jobWorker = (
  deps: WorkerDeps,
  repeated: readonly (Recurring | RecurringWork)[],
  wake: { outbox: () => void; onEvent: () => void },
): Worker => {
  const { store, clock, wallClock, vault, porting, recordings, log, onGivenUp } = deps
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
      ...knowledgeJobs(deps.knowledge),
      ...resultJobs({ store, clock, wake: wake.onEvent }),
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
    onError: (kind, error) => log('job_failed', { err: error, kind }),
    onGivenUp,
  })
  return jobs
}

/** Leases of processes go by the time of calls, which does not jump during a call. */
const presenceWorker = ({ store, callClock, wallClock, recovery, log, onGivenUp }: WorkerDeps, wake: () => void): Worker =>
  new Worker({
    store,
    clock: callClock,
    wallClock,
    queue: (tables) => tables.jobs,
    retryAfterMs: jobRetries,
    tasks: leaseJobs({ ...recovery, wake }),
    onError: (kind, error) => log('job_failed', { err: error, kind }),
    onGivenUp,
  })

/** SMS have a worker of their own: message centres that are slow must not hold up other jobs. */
const messageWorker = ({ store, clock, wallClock, sms, log, onGivenUp }: WorkerDeps): Worker =>
  new Worker({
    store,
    clock,
    wallClock,
    queue: (tables) => tables.jobs,
    retryAfterMs: smsRetries,
    concurrency: concurrentSms,
    tasks: smsJobs(sms),
    onError: (kind, error) => log('sms_not_sent', { err: error, kind }),
    onGivenUp,
  })

/** All take from the outbox; deliveries to customers have workers of their own, because they are many and may be slow. */
const messengers = (deps: WorkerDeps) => {
  const { store, clock, wallClock, vault, mailer, outbound, endpoints, porting, deliverNotification, log, onGivenUp } = deps
  const all = {
    store,
    clock,
    wallClock,
    queue: (tables: Tables) => tables.outbox,
    onError: (kind: string, error: unknown) => log('delivery_failed', { err: error, kind }),
    onGivenUp,
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
