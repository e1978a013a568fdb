import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Forwarding, Phoneline, Voicemail } from '#core/kernel/ports/store/line.ts'
import type { CallerIdentity } from '#core/kernel/ports/telephony.ts'
import { phonesAt, phonesIn, ringable, type Circumstances } from './phones.ts'
import { ringSeconds, type Phone, type Step } from './plan.ts'

/** A step that takes over after this many seconds of ringing. */
interface Takeover {
  after: number
  step: (seconds: number) => Step
}

/** Rings its phones, then its forwardings, then its voicemail. */
export const planLine = async (tables: Tables, account: Account, line: Phoneline, around: Circumstances): Promise<Step[]> => {
  const { id: accountId } = account
  const [voicemails, forwardings] = await Promise.all([
    tables.voicemails.listByOwner(accountId, line.id),
    tables.phonelines.listForwardings(accountId, line.id),
  ])
  if (line.blockAnonymous && isAnonymous(around.callerOf(accountId))) return [blocked(line, voicemails[0])]
  const takeovers = takeoversOf(
    forwardings.filter(({ active }) => active),
    voicemails,
  )
  const immediately = takeovers[0]?.after === 0
  const first = immediately ? [] : [await ringLine(tables, account, line, around)]
  if (first[0]?.kind === 'reject') return first
  return timed(first, takeovers)
}

const isAnonymous = ({ number, withheld }: CallerIdentity): boolean => withheld || number === undefined

const blocked = ({ blockAnonymousTarget }: Phoneline, voicemail: Voicemail | undefined): Step =>
  blockAnonymousTarget === 'VOICEMAIL' && voicemail
    ? { kind: 'voicemail', voicemailId: voicemail.id }
    : { kind: 'reject', cause: 'anonymity_refused' }

/** The line's own voicemail comes last, unless its owner ordered it, or another one, explicitly. */
const takeoversOf = (forwardings: readonly Forwarding[], [own]: readonly Voicemail[]): Takeover[] => {
  const chosen = forwardings.flatMap(({ destination, timeout }): Takeover[] => {
    const voicemailId = destination === 'voicemail' ? own?.id : destination.startsWith('v') ? destination : undefined
    if (voicemailId !== undefined) return [{ after: timeout, step: () => ({ kind: 'voicemail', voicemailId }) }]
    return destination === 'voicemail' ? [] : [{ after: timeout, step: (seconds) => ({ kind: 'forward', to: destination, seconds }) }]
  })
  const answers = forwardings.some(({ destination }) => destination.startsWith('v'))
  if (!own?.active || answers) return chosen
  return [...chosen, { after: own.timeout, step: () => ({ kind: 'voicemail', voicemailId: own.id }) }]
}

/** Each step rings until the next one takes over. */
const timed = (first: Step[], takeovers: readonly Takeover[]): Step[] => {
  const until = (index: number): number => takeovers[index]?.after ?? ringSeconds
  const ringing = first.map((step) => (step.kind === 'ring' ? { ...step, seconds: until(0) } : step))
  return [...ringing, ...takeovers.map(({ step }, index) => step(until(index + 1)))]
}

const ringLine = async (tables: Tables, account: Account, line: Phoneline, around: Circumstances): Promise<Step> => {
  const [attached, all, parallel] = await Promise.all([
    tables.phonelines.devices(account.id, line.id),
    tables.devices.list(account.id),
    tables.phonelines.listParallelForwardings(account.id, line.id),
  ])
  const ids = new Set(attached.map(({ id }) => id))
  const devices = all.filter(({ id }) => ids.has(id))
  if (line.busyOnBusy && isBusy(account.id, devices, around)) return { kind: 'reject', cause: 'busy_on_busy' }
  const own = await ringable(tables, account, devices, around)
  const active = parallel.filter((forwarding) => forwarding.active)
  const beside = await Promise.all(active.map(({ destination }) => rungBeside(tables, account, destination)))
  const phones = distinct([...own.phones, ...beside.flat()])
  return { kind: 'ring', phones, seconds: ringSeconds, ifNone: own.undisturbed ? 'do_not_disturb' : 'unavailable' }
}

const isBusy = (accountId: string, devices: readonly Device[], { occupancy }: Circumstances): boolean =>
  devices.some(({ id }) => occupancy.isBusy(accountId, id))

const rungBeside = (tables: Tables, account: Account, destination: string): Promise<Phone[]> =>
  destination.startsWith('+') ? phonesAt(tables, account, destination) : phonesIn(tables, account.id, destination)

/** Removes duplicates, so that a phone reached in two ways rings once. */
export const distinct = (phones: readonly Phone[]): Phone[] => {
  const key = (phone: Phone): string => (phone.kind === 'device' ? `${phone.accountId}/${phone.deviceId}` : JSON.stringify(phone))
  return [...new Map(phones.map((phone) => [key(phone), phone])).values()]
}
