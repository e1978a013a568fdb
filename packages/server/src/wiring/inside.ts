import { endLostSessionOf, endLostSessions } from '#core/assistant/session/recover.ts'
import { recoverFaxes } from '#core/messages/fax/recover-faxes.ts'
import { openAssistants } from './assistants.ts'
import type { Settings } from '#settings/config.ts'
import { Calls } from '#core/telephone/call/state/calls.ts'
import { Leases } from '#core/kernel/work/leases.ts'
import { doubtAll, recoverAll } from '#core/telephone/call/recover/recover-calls.ts'
import { Tasks } from '#core/kernel/work/tasks.ts'
import type { FaxDesk } from '#core/messages/fax/sending/fax-desk.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { SavedDialog } from '#core/kernel/ports/telephony.ts'
import type { Sandbox } from '#core/operate/sandbox/sandbox.ts'
import type { SmsParts } from '#core/messages/sms/state/sms-parts.ts'
import { ClockWatch } from '#core/operate/nodes/clock-watch.ts'
import type { Presence } from '#core/operate/nodes/presence.ts'
import { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import { openCustomers, type Customers, type OpenedEndpoints } from './customers.ts'
import { openFaxes } from './faxes.ts'
import type { Ground, Open } from './ground.ts'
import { openPresence } from './nodes.ts'
import { openPush, readPushSigning, type Push } from './push.ts'
import { makeBelieve, openSandbox } from './sandbox.ts'
import { openSms, type Sms } from './sms.ts'
import { openSpeech } from './speech.ts'
import { openTelephone, type Telephone } from './telephone.ts'
import { buildWorkers, type WorkerParts, type Workers } from './workers.ts'

export interface InsideParts {
  settings: Settings
  /** What tests put in the place of the real one. */
  replaced: { lookEveryMs?: number; speech?: Speech; endpoints?: OpenedEndpoints }
  ground: Ground
  open: Open
  /** Where the REST interface listens, as soon as it does, and how the world reaches it. */
  listening: () => string
  publicUrl: () => string
}

/** Everything between the ground and the REST interface: who carries calls, messages and faxes, and what works in the background. */
export interface Inside extends Pick<Customers, 'listeners' | 'trials'> {
  speech: Speech
  calls: Calls
  timelines: LiveTimelines
  telephone: Telephone
  sms: Sms
  faxes: FaxDesk
  /** This process among others. */
  presence: Presence
  workers: Workers
  sandbox: Sandbox | undefined
  pushKey: Push['key']
  wake: () => void
  /** Ends what the last run of us has left, or finds out who has it. */
  recover(): Promise<void>
  /** Nothing that is due is left undone. */
  idle(): Promise<void>
}

/** The telephone and the faxes are closed by whoever opens the REST interface, which has to end in between. */
export const openInside = async (parts: InsideParts): Promise<Inside> => {
  const { settings, replaced, ground, open, publicUrl } = parts
  const { log, callClock, wallClock, soundMemory } = ground
  const speech = open(replaced.speech ?? (await openSpeech({ settings, log, clock: wallClock, soundMemory })))
  const { leasing, leases, recovery } = openLeases(ground, (dialog) => telephone.telephony.sayBye(dialog))
  const timelineDays = settings.OFFHOOK_TIMELINE_DAYS ?? (settings.OFFHOOK_RECORDINGS_DAYS || undefined)
  const timelines = open(openTimelines(parts, leases.owner, timelineDays))
  const { endpoints, listeners, trials } = openCustomers(parts, timelines)
  const signing = await readPushSigning(settings)
  const push = open(openPush({ ...ground, signing, onError: (error) => log('call_push_failed', { err: error }) }))
  const lookEveryMs = lookEvery(replaced)
  const wake = (): void => workers.wake()
  const phones: SmsParts['phones'] = { send: (to, message) => telephone.telephony.messages.send(to, message) }
  const sms = openSms({ ...ground, settings, phones, publicUrl, wake, lookEveryMs })
  const sendFax: WorkerParts['sendFax'] = (fax) => faxes.send(fax)
  const workers: Workers = open(
    workersOf(parts, { endpoints, sms: sms.parts, sendFax, deliverNotice: push.deliver, recovery, timelineDays }),
  )
  open(endpoints) // closed before the workers, which would wait for those that do not answer
  open(sms)
  open({ close: () => push.stop() })
  const calls = new Calls()
  const living = { ...ground, clock: callClock, leases, timelines, wake }
  const assistants = openAssistants({ ...living, speech, endpoints })
  const readTrunksEveryMs = Math.max(lookEveryMs, 30_000)
  const ringing = { ...living, settings, calls, assistants, guide: push.guide, publicUrl, readTrunksEveryMs }
  const telephone: Telephone = await openTelephone(ringing)
  const faxes: FaxDesk = openFaxes({ ...living, telephony: telephone.telephony })
  const presence = open(openPresence({ ...parts, id: leases.owner, telephone, faxes, assistants, everyMs: Math.max(lookEveryMs, 5_000) }))
  callClock.talks = () => telephone.switchboard.size > 0 || leases.size > 0
  open(watchClock(parts, Math.max(lookEveryMs, 5_000)))
  const sandbox = openSandbox(ground, { workers, leases, talks: callClock.talks })
  if (sandbox) open(sandbox)
  // With PostgreSQL another process may still have them: there the end of a lease decides.
  const recover = () => (settings.DATABASE_URL === undefined ? recoverAll : doubtAll)({ ...recovery, wake }, leases.owner)
  const idle = async (): Promise<void> => {
    for (const part of [sandbox, telephone, leasing, sms, faxes, workers, presence]) await part?.idle()
    await endpoints.flush()
    await push.flush()
    await timelines.idle()
  }
  return {
    speech,
    calls,
    timelines,
    listeners,
    trials,
    telephone,
    sms,
    faxes,
    presence,
    workers,
    sandbox,
    pushKey: push.key,
    wake,
    recover,
    idle,
  }
}

/** Who has which call, and what is done about those that nobody has any more. */
/** Phones are registered for a time, not until a time. Several processes have clocks of their own, which have to be right. */
const watchClock = ({ settings, ground: { wallClock, store, log } }: InsideParts, everyMs: number): ClockWatch =>
  new ClockWatch({
    clock: wallClock,
    everyMs,
    wasSet(ms) {
      log('clock_changed', { seconds: Math.round(ms / 1000) })
      if (settings.DATABASE_URL !== undefined) return
      const failed = (error: unknown): void => log('registrations_not_moved', { err: error })
      void store.write(({ devices }) => devices.moveRegistrations(ms)).catch(failed)
    },
  })

const openLeases = ({ store, callClock: clock, recordingFiles: files, log }: Ground, sayBye: (dialog: SavedDialog) => Promise<void>) => {
  const leasing = new Tasks()
  const onFailure = (error: unknown, callId: string): void => log('call_lease_failed', { err: error, callId })
  const leases = new Leases({ store, clock, tasks: leasing, onFailure })
  const left = { alsoEnds: endLostSessionOf, leftovers: [endLostSessions, recoverFaxes] }
  return { leasing, leases, recovery: { store, clock, files, sayBye, onFailure, survivor: leases, ...left } }
}

type Background = Pick<WorkerParts, 'endpoints' | 'sms' | 'sendFax' | 'deliverNotice' | 'recovery' | 'timelineDays'>

const workersOf = ({ settings, replaced, ground, publicUrl }: InsideParts, background: Background): Workers => {
  const { clock, vault, recordingFiles: files } = ground
  return buildWorkers({
    ...ground,
    ...background,
    makeBelieve: makeBelieve(ground),
    desk: { clock, vault, carrierCode: settings.OFFHOOK_CARRIER_CODE, publicUrl },
    recordings: { files, keptDays: settings.OFFHOOK_RECORDINGS_DAYS },
    lookEveryMs: lookEvery(replaced),
  })
}

const lookEvery = ({ lookEveryMs = 1_000 }: InsideParts['replaced']): number => lookEveryMs

/** What happens in calls. With PostgreSQL other processes have calls, too. */
const openTimelines = ({ settings, ground }: InsideParts, owner: string, keptDays: number | undefined): LiveTimelines => {
  const { store, callClock: clock, log } = ground
  const onError = (error: unknown): void => log('call_timeline_failed', { err: error })
  return new LiveTimelines({ store, clock, owner, keeps: keptDays !== 0, shared: settings.DATABASE_URL !== undefined, onError })
}
