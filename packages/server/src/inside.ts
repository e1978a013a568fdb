import { withDemoAssistant } from './adapters/demo-door.ts'
import { openEndpoints, type OpenEndpointsParts } from './adapters/endpoint/endpoints.ts'
import { openAssistants } from './assistants.ts'
import type { Settings } from './config.ts'
import { Calls } from './core/call/calls.ts'
import { Leases } from './core/call/leases.ts'
import { doubtAll, recoverAll } from './core/call/recover-calls.ts'
import { Tasks } from './core/call/tasks.ts'
import type { FaxDesk } from './core/fax/fax-desk.ts'
import type { Endpoints } from './core/ports/endpoint.ts'
import type { Speech } from './core/ports/speech.ts'
import type { SavedDialog } from './core/ports/telephony.ts'
import type { Sandbox } from './core/sandbox/sandbox.ts'
import { openFaxes } from './faxes.ts'
import type { Ground, Open } from './ground.ts'
import { openPush, type Push } from './push.ts'
import { makeBelieve, openSandbox } from './sandbox.ts'
import { openSms, type Sms } from './sms.ts'
import { openSpeech } from './speech.ts'
import { openTelephone, type Telephone } from './telephone.ts'
import { buildWorkers, type Workers } from './workers.ts'

export type OpenedEndpoints = Endpoints & { close?(): Promise<void> }

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
export interface Inside {
  speech: Speech
  calls: Calls
  telephone: Telephone
  sms: Sms
  faxes: FaxDesk
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
  const { logger, clock, callClock, wallClock, vault } = ground
  const speech = open(replaced.speech ?? (await openSpeech({ settings, logger, clock: wallClock })))
  const endpoints = replaced.endpoints ?? openCustomers(parts)
  const { leasing, leases, recovery } = openLeases(ground, (dialog) => telephone.telephony.sayBye(dialog))
  const push = open(openPush({ ...ground, onError: (error) => logger.error({ err: error }, 'a call could not be told') }))
  const lookEveryMs = replaced.lookEveryMs ?? 1_000
  const wake = (): void => workers.wake()
  const sms = openSms({
    ...ground,
    settings,
    phones: { send: (to, message) => telephone.telephony.messages.send(to, message) },
    publicUrl,
    wake,
    lookEveryMs,
  })
  const workers: Workers = open(
    buildWorkers({
      ...ground,
      makeBelieve: makeBelieve(ground),
      endpoints,
      sms: sms.parts,
      sendFax: (fax) => faxes.send(fax),
      desk: { clock, vault, carrierCode: settings.OFFHOOK_CARRIER_CODE, publicUrl },
      deliverNotice: push.deliver,
      recovery,
      recordings: { files: ground.recordingFiles, keptDays: settings.OFFHOOK_RECORDINGS_DAYS },
      lookEveryMs,
    }),
  )
  open(endpoints) // closed before the workers, which would wait for those that do not answer
  open(sms)
  open({ close: () => push.stop() })
  const calls = new Calls()
  const living = { ...ground, clock: callClock, leases, wake }
  const assistants = openAssistants({ ...living, speech, endpoints })
  const readTrunksEveryMs = Math.max(lookEveryMs, 30_000)
  const telephone: Telephone = await openTelephone({ ...living, settings, calls, assistants, guide: push.guide, readTrunksEveryMs })
  const faxes: FaxDesk = openFaxes({ ...living, telephony: telephone.telephony })
  const sandbox = openSandbox(ground, { workers, leases, talks: () => telephone.switchboard.size > 0 || leases.size > 0 })
  if (sandbox) open(sandbox)
  // With PostgreSQL another process may still have them: there the end of a lease decides.
  const recover = () => (settings.DATABASE_URL === undefined ? recoverAll : doubtAll)({ ...recovery, wake }, leases.owner)
  const idle = async (): Promise<void> => {
    for (const part of [sandbox, telephone, leasing, sms, faxes, workers]) await part?.idle()
    await endpoints.flush()
    await push.flush()
  }
  return { speech, calls, telephone, sms, faxes, workers, sandbox, pushKey: push.key, wake, recover, idle }
}

/** Who has which call, and what is done about those that nobody has any more. */
const openLeases = ({ store, callClock: clock, recordingFiles: files, logger }: Ground, sayBye: (dialog: SavedDialog) => Promise<void>) => {
  const leasing = new Tasks()
  const onFailure = (error: unknown, callId: string): void => logger.error({ err: error, callId }, 'a call could not be kept')
  const leases = new Leases({ store, clock, tasks: leasing, onFailure })
  return { leasing, leases, recovery: { store, clock, files, sayBye, onFailure, survivor: leases } }
}

/** Customers' own software; the assistant of the demo is one, too. */
const openCustomers = ({ settings, ground, open, listening }: InsideParts): OpenedEndpoints => {
  const { logger, callClock: clock } = ground
  const outbound = settings.OFFHOOK_DEMO ? open(withDemoAssistant(ground.outbound, listening)) : ground.outbound
  const parts: OpenEndpointsParts = {
    ...ground,
    clock,
    outbound,
    random: Math.random,
    onError: (error) => logger.error({ err: error }, 'a delivery could not be written down'),
  }
  return openEndpoints(parts)
}
