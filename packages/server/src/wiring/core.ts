import { scenarioRuns, type ScenarioRunsDeps } from '#adapters/scenario-runs/scenario-runs.ts'
import { TestRunner } from '#core/assistant/test-runs/test-runner.ts'
import type { Heartbeat } from '#core/kernel/peer-nodes/heartbeat.ts'
import type { Leases } from '#core/kernel/work/leases.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { FaxSender } from '#core/messages/fax/sending/fax-sender.ts'
import { Tally } from '#core/operate/metrics/families/distribution.ts'
import type { Presence } from '#core/operate/nodes/presence.ts'
import type { Sandbox } from '#core/operate/sandbox/sandbox.ts'
import type { ClusterCalls } from '#core/telephone/call/cluster/calls-anywhere.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { Settings } from '#settings/config.ts'
import { ResultPublisher } from '#core/assistant/results/told-results.ts'
import { openAssistants, type Assistants } from './assistants.ts'
import { openCalls } from './calls.ts'
import type { Open } from './closing.ts'
import { openNeighbours } from './cluster/neighbours.ts'
import { openRescue } from './takeover/rescue.ts'
import { ClusterCounters } from './cluster/cluster-counters.ts'
import { openCustomers, type Customers, type OpenedEndpoints } from './customers.ts'
import { openFaxes } from './faxes.ts'
import { openLeases, recoverLeases } from './leases.ts'
import type { Platform } from './platform.ts'
import { openClockWatch, openPresence } from './presence.ts'
import { openPush, readPushSigning, type Push } from './push.ts'
import type { RestAddress } from './listening/rest-address.ts'
import { openSandbox, sandboxWork } from './sandbox.ts'
import { openTelephony } from './sip-telephony.ts'
import { openSms, type Sms } from './sms.ts'
import { openSpeech } from './speech.ts'
import { openSpeechArchive } from './speech-archive.ts'
import { openTurnDetector } from './turn-detector.ts'
import { openTelephone, type Telephone } from './telephone.ts'
import { openTimelines, timelineDays } from './timelines.ts'
import { WorkSignal } from './work-signal.ts'
import { buildWorkers, type WorkerDeps, type Workers } from './workers.ts'

export interface CoreDeps {
  settings: Settings
  /** What tests put in the place of the real one. */
  replaced: { pollIntervalMs?: number; speech?: Speech; endpoints?: OpenedEndpoints }
  platform: Platform
  open: Open
  address: RestAddress
}

/** Everything between the platform and the REST interface: what carries calls, messages and faxes, and what works in the background. */
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
  /** This process among others, in the store … */
  presence: Presence
  /** … and on the bus. */
  neighbours: Heartbeat
  together: ClusterCounters
  workers: Workers
  sandbox: Sandbox | undefined
  pushKey: Push['key']
  wake: () => void
  /** Calls of this process go to others, where that is possible. */
  handOver: () => Promise<void>
  /** Ends what an earlier run of this process left, or finds out which process has it. */
  recover(): Promise<void>
  /** Nothing that is due is left undone. */
  idle(): Promise<void>
}

/** Each part is built after those that it needs. The telephone and the faxes are closed by the caller, before the REST interface. */
export const openCore = async (deps: CoreDeps): Promise<Core> => {
  const { settings, replaced, platform, open, address } = deps
  const [{ log, callClock, wallClock }, { publicUrl }] = [platform, address]
  const { programsMs, presenceMs, trunksMs, refreshWindowMs } = intervals(settings, replaced)
  const speech = open(replaced.speech ?? (await openSpeech({ ...platform, settings, clock: wallClock })))
  const signing = await readPushSigning(settings)
  const signal = new WorkSignal()
  const { wake } = signal
  const leasing = openLeases(settings, platform, (dialog) => sip.telephony.sayBye(dialog))
  const { leases } = leasing
  const peerNodes = open(openNeighbours(platform, leases.owner))
  const among = { neighbours: peerNodes, leases, together: open(new ClusterCounters(platform, peerNodes)) }
  const sip = open(await openTelephony({ ...among, settings, platform, readTrunksIntervalMs: trunksMs, refreshWindowMs })) // the telephone closes it earlier
  const timelines = open(openTimelines(settings, platform, peerNodes))
  const results = open(openResults(platform, wake))
  const noting = { timelines, onResult: results.keep, wake }
  const { endpoints, ...customers } = openCustomers({ ...deps, ...noting, self: leases.owner, sms: () => sms.deps })
  const push = open(openPush({ ...platform, signing, onError: (error, callId) => log('call_push_failed', { err: error, callId }) }))
  const calls = openCalls(platform, peerNodes, timelines)
  const running = { ...platform, clock: callClock, leases, ...noting }
  const hearing = { speech, speechArchive: openSpeechArchive(settings, platform, open), turnDetector: await openTurnDetector(deps) }
  const assistants = open(openAssistants({ ...running, ...hearing, endpoints }))
  const telephone = openTelephone({ ...running, ...among, settings, platform, sip, calls, assistants, guide: push.guide, publicUrl })
  const sms = openSms({ ...platform, settings, phones: sip.telephony.messages, publicUrl, wake, pollIntervalMs: programsMs })
  const faxes = openFaxes({ ...running, ...sip })
  const sendFax: WorkerDeps['sendFax'] = (fax) => faxes.send(fax)
  const rescuing = open(openRescue({ settings, platform, leasing, neighbours: peerNodes, telephone, wake }))
  const workers = open(openWorkers(deps, speech, { ...rescuing, endpoints, sms: sms.deps, sendFax, deliverNotification: push.deliver }))
  signal.onWake(() => workers.wake())
  // Endpoints are closed before the workers, which would wait for those that do not reply.
  for (const part of [endpoints, sms, { close: () => push.stop() }]) open(part)
  const presence = open(
    openPresence({ ...rescuing, settings, platform, id: leases.owner, telephone, faxes, assistants, address, everyMs: presenceMs }),
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
 * How often the tables are looked at, in case another process wrote there; tests want it less often. What this process writes it knows, so that one
 * that is alone need not look.
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

/** What brings files and traces elsewhere. */
const sendersIdle = async ({ uploader, tracer }: Platform): Promise<void> => {
  await uploader?.idle()
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
    recordings: { files, keptDays: settings.OFFHOOK_RECORDINGS_DAYS },
    timelineDays: timelineDays(settings),
    pollIntervalMs: intervals(settings, replaced).workMs,
  })
  const close = (): Promise<void> => {
    ending.abort()
    return workers.close()
  }
  return { ...workers, close }
}
