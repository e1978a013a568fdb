import { scenarioRuns, type ScenarioRunsDeps } from '#adapters/scenario-runs/scenario-runs.ts'
import { TestRunner } from '#core/assistant/test-runs/test-runner.ts'
import type { Heartbeat } from '#core/kernel/peer-nodes/heartbeat.ts'
import type { Leases } from '#core/kernel/work/leases.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import { FaxSender, type FaxSenderDeps } from '#core/messages/fax/sending/fax-sender.ts'
import { Tally } from '#core/operate/metrics/families/distribution.ts'
import type { Presence } from '#core/operate/nodes/presence.ts'
import { Sandbox } from '#core/operate/sandbox/sandbox.ts'
import { ClusterCalls } from '#core/telephone/call/cluster/cluster-calls.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { Settings } from '#settings/config.ts'
import { ResultPublisher } from '#core/assistant/results/note-result.ts'
import { openAssistants, type Assistants } from './assistants.ts'
import type { Open } from './closing.ts'
import { openOwning } from './ownership.ts'
import { openRescue } from './takeover/takeover.ts'
import { ClusterCounters } from './cluster/cluster-counters.ts'
import { openCustomers, type Customers, type OpenedEndpoints } from './customers.ts'
import { recoverLeases } from './leases.ts'
import type { Platform } from './platform.ts'
import { openClockWatch, openPresence } from './presence.ts'
import { openAdmission } from './overload.ts'
import { openPush, readPushSigning, type Push } from './push.ts'
import type { RestAddress } from './listening/rest-address.ts'
import { openTelephony } from './sip-telephony.ts'
import { openSms, type Sms } from './sms.ts'
import { openSpeech } from './speech.ts'
import { openTelephone, type Telephone } from './telephone.ts'
import { openTimelines, timelineDays } from './timelines.ts'
import { buildWorkers, type WorkerDeps, type Workers } from './workers.ts'
import { callsForOthers } from '#core/telephone/call/cluster/answer-for-calls.ts'
import type { Clock, PeerNodes } from '#core/kernel/ports/platform.ts'
import { join, resolve } from 'node:path'
import { SpeechFolder } from '#adapters/speech/archive/speech-folder.ts'
import { missingSpeechRuntime } from '#adapters/speech/speech-runtime.ts'
import { turnModelFolder } from '#places.ts'
import type { SpeechArchive, TurnDetector } from '#core/kernel/ports/assistant.ts'
import type { Log } from '#log/log-events.ts'
import { deliverHere } from '#core/messages/fax/sending/deliver-here.ts'
import type { FaxFiles } from '#core/kernel/ports/messages.ts'
import type { MayRecord } from '#core/telephone/recordings/recording-room.ts'
import { simWarehouse } from '#core/operate/sandbox/sim-warehouse.ts'
import type { RecurringWork } from '#core/kernel/work/recurring.ts'

interface CoreDeps {
  settings: Settings
  /** Replacements for tests. */
  replaced: { clock?: Clock; pollIntervalMs?: number; speech?: Speech; endpoints?: OpenedEndpoints }
  platform: Platform
  open: Open
  address: RestAddress
}

/** Everything between the platform and the REST API: calls, messages, faxes and background work. */
export interface Core extends Omit<Customers, 'endpoints'> {
  testRunner: TestRunner
  speech: Speech
  leases: Leases
  assistants: Assistants
  calls: ClusterCalls
  timelines: LiveTimelines
  telephone: Telephone
  sms: Sms
  faxes: FaxSender
  /** This node in the store. */
  presence: Presence
  /** This node on the bus. */
  peerNodes: Heartbeat
  together: ClusterCounters
  workers: Workers
  sandbox: Sandbox | undefined
  pushKey: Push['key']
  wake: () => void
  /** Hands over calls of this node to peer nodes, where possible. */
  handOver: () => Promise<void>
  /** Ends calls that an earlier run of this process left, or finds their new owner. */
  recover(): Promise<void>
  /** Resolves when all due work is done. */
  idle(): Promise<void>
}

/** Builds each part after its dependencies. The caller closes the telephone and the faxes before the REST API. */
export const openCore = async (deps: CoreDeps): Promise<Core> => {
  const { settings, replaced, platform, open, address } = deps
  const [{ log, callClock, wallClock }, { publicUrl }] = [platform, address]
  const { programsMs, presenceMs, trunksMs, refreshWindowMs } = intervals(settings, replaced)
  const speech = open(replaced.speech ?? (await openSpeech({ ...platform, settings, clock: wallClock })))
  const [signing, signal] = [await readPushSigning(settings), new WorkSignal()]
  const { wake } = signal
  const owning = openOwning({ ...deps, telephone: () => telephone, telephony: () => sip.telephony })
  const { leasing, peerNodes, silence } = owning
  const { leases } = leasing
  const together = open(new ClusterCounters(platform, peerNodes))
  const among = { peerNodes, leases, together, admission: openAdmission(settings, platform, open) }
  const sip = open(await openTelephony({ ...among, settings, platform, readTrunksIntervalMs: trunksMs, refreshWindowMs })) // the telephone closes it earlier
  const timelines = open(openTimelines(settings, platform, peerNodes))
  const results = open(openResults(platform, wake))
  const noting = { timelines, onResult: results.keep, wake }
  const { endpoints, ...customers } = openCustomers({ ...deps, ...noting, silence, self: leases.owner, sms: () => sms.deps })
  const push = open(openPush({ ...platform, signing, onError: (error, callId) => log('call_push_failed', { err: error, callId }) }))
  const calls = openCalls({ settings, platform, peerNodes, timelines, presenceMs })
  const running = { ...platform, clock: callClock, leases, silence, ...noting }
  const hearing = { speech, speechArchive: await openSpeechArchive(settings, platform, open), turnDetector: await openTurnDetector(deps) }
  const assistants = open(openAssistants({ ...running, ...hearing, endpoints }))
  const telephone = openTelephone({ ...running, ...among, settings, platform, sip, calls, assistants, guide: push.guide, publicUrl })
  const sms = openSms({ ...platform, settings, phones: sip.telephony.messages, publicUrl, wake, pollIntervalMs: programsMs })
  const faxes = openFaxes({ ...running, ...sip })
  const sendFax: WorkerDeps['sendFax'] = (fax) => faxes.send(fax)
  const rescuing = open(openRescue({ ...owning, settings, platform, telephone, wake }))
  const workers = open(openWorkers(deps, speech, { ...rescuing, endpoints, sms: sms.deps, sendFax, deliverNotification: push.deliver }))
  signal.onWake(() => workers.wake())
  // Endpoints are closed before the workers, which would wait for those that do not reply.
  for (const part of [endpoints, sms, { close: () => push.stop() }]) open(part)
  const presence = open(
    openPresence({ ...rescuing, settings, platform, id: leases.owner, telephone, faxes, assistants, address, intervalMs: presenceMs }),
  )
  callClock.talks = () => telephone.callRouter.size > 0 || leases.size > 0
  open(openClockWatch(settings, platform, presenceMs))
  const sandbox = openSandbox(platform, { workers, leases, talks: callClock.talks })
  if (sandbox) open(sandbox)
  const flushed = [() => endpoints.flush(), () => push.flush(), () => timelines.idle(), () => sendersIdle(platform)]
  const idle = (): Promise<void> => allIdle([sandbox, results, rescuing, telephone, sip, leasing, sms, faxes, workers, presence], flushed)
  return {
    speech,
    assistants,
    calls,
    timelines,
    ...customers,
    testRunner: open(openTestRunner(platform, { ...customers, endpoints })),
    telephone,
    sms,
    faxes,
    presence,
    ...among,
    workers,
    sandbox,
    pushKey: push.key,
    wake,
    handOver: () => rescuing.handOver(),
    recover: () => recoverLeases(settings, rescuing.recovery, wake),
    idle,
  }
}

/**
 * Poll intervals for rows written by other nodes; longer in tests. A node knows its own writes, so a single one
 * need not poll.
 */
const intervals = ({ DATABASE_URL }: Settings, { pollIntervalMs }: CoreDeps['replaced']) => ({
  workMs: pollIntervalMs ?? (DATABASE_URL === undefined ? 60_000 : 5_000),
  programsMs: pollIntervalMs ?? 1_000,
  presenceMs: Math.max(pollIntervalMs ?? 0, 5_000),
  trunksMs: Math.max(pollIntervalMs ?? 0, 30_000),
  refreshWindowMs: pollIntervalMs === undefined ? 250 : 0,
})

const openTestRunner = ({ store, clock, log }: Platform, ways: ScenarioRunsDeps): TestRunner =>
  new TestRunner({ store, clock, runner: scenarioRuns(ways), onError: (error) => log('test_run_lost', { err: error }) })

const openResults = ({ store, callClock: clock, log }: Platform, wake: () => void): ResultPublisher =>
  new ResultPublisher({ store, clock, wake, onError: (error, callId) => log('assistant_result_lost', { err: error, callId }) })

/** Uploads of files and exports of traces. */
const sendersIdle = async ({ fileWork, tracer }: Platform): Promise<void> => {
  await fileWork?.idle()
  await tracer?.idle()
}

const allIdle = async (
  parts: readonly ({ idle(): Promise<void> } | undefined)[],
  flushes: readonly (() => Promise<void>)[],
): Promise<void> => {
  for (const part of parts) await part?.idle()
  for (const flush of flushes) await flush()
}

type Background = Pick<WorkerDeps, 'endpoints' | 'sms' | 'sendFax' | 'deliverNotification' | 'recovery'>

const openWorkers = ({ settings, replaced, platform, address }: CoreDeps, speech: Speech, background: Background): Workers => {
  const ending = new AbortController()
  const { clock, vault, recordingFiles: files, metrics } = platform
  const dead = new Tally()
  metrics.add(() => dead.entries.map(([kind, value]) => ({ name: 'offhook_dead_letters_total', labels: { kind }, value })))
  const workers = buildWorkers({
    ...platform,
    ...background,
    writing: { speech, signal: ending.signal },
    onGivenUp: (kind) => dead.add(kind),
    sandboxWork: sandboxWork(platform),
    porting: { clock, vault, carrierCode: settings.OFFHOOK_CARRIER_CODE, publicUrl: address.publicUrl },
    recordings: { files, retentionDays: settings.OFFHOOK_RECORDINGS_DAYS, waitHours: settings.OFFHOOK_RECORDINGS_WAIT },
    timelineDays: timelineDays(settings),
    pollIntervalMs: intervals(settings, replaced).workMs,
  })
  const close = (): Promise<void> => {
    ending.abort()
    return workers.close()
  }
  return { ...workers, close }
}

interface CallsDeps {
  settings: Settings
  platform: Platform
  peerNodes: PeerNodes
  timelines: LiveTimelines
  /** Interval at which nodes store their heartbeats. */
  presenceMs: number
}

/** A node that missed so many stored heartbeats does not live. */
const missedHeartbeats = 3

/** Running calls: serves those of this node to its peers, and queries those of all nodes. */
const openCalls = ({ settings, platform, peerNodes, timelines, presenceMs }: CallsDeps): ClusterCalls => {
  const { store, wallClock } = platform
  const onError = (error: unknown, callId: string): void => platform.log('call_command_failed', { err: error, callId })
  return new ClusterCalls({
    ...platform,
    peerNodes,
    storedNodes: async () => {
      if (settings.DATABASE_URL === undefined) return []
      const nodes = await store.read.nodes.list(wallClock.now() - missedHeartbeats * presenceMs)
      return nodes.map(({ id }) => id)
    },
    calls: callsForOthers({ ...platform, peerNodes, written: () => timelines.flush(), onError }),
  })
}

/** Only the embedded voices sound the same as long as their models do not change: without them there is nothing to archive. */
const openSpeechArchive = async (settings: Settings, platform: Platform, open: Open): Promise<SpeechArchive | undefined> => {
  const { wallClock: clock, log } = platform
  const { OFFHOOK_SPEECH: way, OFFHOOK_SPEECH_CACHE: wanted, OFFHOOK_SPEECH_CACHE_BYTES: maxBytes, OFFHOOK_DATA: data } = settings
  if (way !== 'embedded' || wanted === 'off') return undefined
  const folder = wanted === undefined ? join(data, 'speech-cache') : resolve(wanted)
  return open(new SpeechFolder({ folder, maxBytes, clock, log, madeSince: await platform.lastErasureAt() }))
}

/**
 * Signals queued outbox messages and jobs. Created before all writers, because the workers are built last: they
 * depend on parts that in turn wake them.
 */
class WorkSignal {
  readonly #listeners: (() => void)[] = []

  readonly wake = (): void => {
    for (const listener of this.#listeners) listener()
  }

  onWake(listener: () => void): void {
    this.#listeners.push(listener)
  }
}

/** The operator's model, or ours where models can run. Sequences of tones, and the speech of tests, are no words. */
const openTurnDetector = async ({
  settings: { OFFHOOK_TURN_MODEL: file, OFFHOOK_SPEECH: kind },
  platform: { log },
  replaced,
  open,
}: CoreDeps): Promise<TurnDetector | undefined> => {
  if (file === 'off') return undefined
  if (file !== undefined) {
    const { TurnModel } = await import('#adapters/speech/turns/turn-model.ts')
    return open(new TurnModel(file, log))
  }
  if (kind === 'tones' || replaced.speech || missingSpeechRuntime() !== undefined) return undefined
  const { WordsDetector } = await import('#adapters/speech/turns/words-detector.ts')
  return open(new WordsDetector(turnModelFolder, log))
}

interface OpenFaxesDeps extends Omit<FaxSenderDeps, 'files' | 'deliverHere' | 'onFailure'> {
  faxFiles: FaxFiles
  mayRecord: MayRecord
  log: Log
}

/** Sends faxes, on the clock of calls. */
const openFaxes = ({ log, faxFiles: files, mayRecord, ...parts }: OpenFaxesDeps): FaxSender =>
  new FaxSender({
    ...parts,
    files,
    deliverHere: deliverHere({ ...parts, files, mayRecord }),
    onFailure: (error, faxId) => log('fax_not_sent', { err: error, faxId }),
  })

interface SandboxNeeds {
  workers: Pick<Workers, 'look' | 'idle' | 'nextWaiting'>
  talks: () => boolean
  leases: { owner: string }
}

/** Manual work, such as sending SIM cards, is automatic in a sandbox. */
const sandboxWork = (platform: Platform): RecurringWork[] => (platform.sandboxTime ? [simWarehouse(platform)] : [])

/** Undefined unless this installation is a sandbox. */
const openSandbox = ({ sandboxTime, store, wallClock, log }: Platform, { workers, talks, leases }: SandboxNeeds): Sandbox | undefined => {
  if (!sandboxTime) return undefined
  const { clock, callClock } = sandboxTime
  const sandbox = new Sandbox({
    store,
    clock,
    wallClock,
    waiting: { ...workers, wake: () => workers.look() },
    callClock,
    talks,
    owner: leases.owner,
    onError: (error) => log('sandbox_clock_failed', { err: error }),
  })
  log('sandbox_active', { aheadSeconds: clock.aheadMs / 1000 })
  sandbox.start()
  return sandbox
}
