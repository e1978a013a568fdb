import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { type Circumstances, ringable, type Ringable } from './phones.ts'
import { planLine } from './plan-line.ts'
import { applyRules } from './plan-rules.ts'
import { ringSeconds, type Place, type Plan, type Step, maxWaitSeconds, type Phone } from './plan.ts'
import type { Group } from '#core/kernel/ports/store/line.ts'
import type { Payer } from '#core/money/rates.ts'
import type { Destination } from '../inbound/destination.ts'

const unassigned: Step[] = [{ kind: 'reject', cause: 'not_found' }]

/** Routing plan for this extension. `called`: the dialled number, if any. */
export const planExtension = async (
  tables: Tables,
  { accountId, extension, called, numberId }: { accountId: string; extension: string; called?: string; numberId?: string },
  around: Circumstances,
): Promise<Plan> => {
  const [account, found] = await Promise.all([tables.accounts.find(accountId), tables.extensions.find(accountId, extension)])
  if (!account || !found) return { place: undefined, called: called ?? extension, steps: unassigned }
  const { steps, userId } = await stepsFor(tables, account, extension, around)
  const place: Place = { accountId, extension, alias: found.alias, userId }
  const targets = [
    { id: numberId, name: called ?? extension },
    { id: extension, name: found.alias },
  ]
  const ruled = await applyRules(tables, { accountId, place: extension, targets }, steps, around.now)
  return { place, called: called ?? (await numberOf(tables, accountId, extension)) ?? extension, ...ruled }
}

/** Shown as the diverting number. */
const numberOf = async (tables: Tables, accountId: string, extension: string): Promise<string | undefined> => {
  const numbers = await tables.numbers.listByEndpoint(accountId, extension)
  return numbers.find(({ e164, state }) => e164 !== undefined && state === 'ACTIVE')?.e164
}

interface Steps {
  steps: Step[]
  /** Owner of the extension. */
  userId: string | undefined
}

const stepsFor = async (tables: Tables, account: Account, extension: string, around: Circumstances): Promise<Steps> => {
  switch (extension.charAt(0)) {
    case 'p': {
      const line = await tables.phonelines.find(account.id, extension)
      return line ? { steps: await planLine(tables, account, line, around), userId: line.owner } : unknown
    }
    case 'g': {
      const group = await tables.groups.find(account.id, extension)
      return group ? { steps: await planGroup(tables, account, group, around), userId: undefined } : unknown
    }
    case 'e':
    case 'x':
    case 'y':
      return planDevice(tables, account, extension, around)
    case 'v': {
      const owner = (await tables.voicemails.find(account.id, extension))?.owner
      const line = owner?.startsWith('p') ? await tables.phonelines.find(account.id, owner) : undefined
      return { steps: [{ kind: 'voicemail', voicemailId: extension }], userId: line?.owner }
    }
    case 'f': {
      const faxline = await tables.faxlines.find(account.id, extension)
      const userId = faxline?.owner.startsWith('w') ? faxline.owner : undefined
      return { steps: [faxline?.canReceive ? { kind: 'fax', faxlineId: extension } : { kind: 'reject', cause: 'unavailable' }], userId }
    }
    default:
      return unknown
  }
}

const unknown: Steps = { steps: unassigned, userId: undefined }

const planDevice = async (tables: Tables, account: Account, id: string, around: Circumstances): Promise<Steps> => {
  const device = await tables.devices.find(account.id, id)
  if (!device) return unknown
  const { phones, undisturbed } = await ringable(tables, account, [device], around)
  const ifNone = undisturbed ? 'do_not_disturb' : 'busy' // the phone calls itself
  return { steps: [{ kind: 'ring', phones, seconds: ringSeconds, ifNone }], userId: device.owner }
}

interface Member extends Ringable {
  userId: string
}

/** Rings all members concurrently, or one after the other; then the group's voicemail. */
const planGroup = async (tables: Tables, account: Account, group: Group, around: Circumstances): Promise<Step[]> => {
  const [members, [voicemail]] = await Promise.all([
    membersOf(tables, account, group, around),
    tables.voicemails.listByOwner(account.id, group.id),
  ])
  const rung = inOrder(members, account.id, group, around)
  const { ringSeconds: seconds } = group
  const steps: Step[] =
    group.strategy === 'PARALLEL' || rung.length === 0
      ? [{ kind: 'ring', phones: rung.flatMap(({ phones }) => phones), seconds, ifNone: reasonForNone(rung) }]
      : rung.map((member) => ({ kind: 'ring', phones: member.phones, seconds, ifNone: reasonForNone([member]) }))
  return voicemail?.active ? [...steps, { kind: 'voicemail', voicemailId: voicemail.id }] : steps
}

const reasonForNone = (members: readonly Member[]) =>
  members.length > 0 && members.every(({ undisturbed }) => undisturbed) ? 'do_not_disturb' : 'unavailable'

/** Skips busy members with busy-on-busy. */
const membersOf = async (tables: Tables, account: Account, { id }: Group, around: Circumstances): Promise<Member[]> => {
  const [userIds, users, attached, devices] = await Promise.all([
    tables.groups.members(account.id, id),
    tables.users.list(account.id),
    tables.groups.devices(account.id, id),
    tables.devices.list(account.id),
  ])
  const ids = new Set(attached.map((device) => device.id))
  const isTalking = (userId: string): boolean =>
    devices.some((device) => device.owner === userId && around.occupancy.isBusy(account.id, device.id))
  const free = userIds.filter((userId) => !users.find((user) => user.id === userId)?.busyOnBusy || !isTalking(userId))
  return Promise.all(
    free.map(async (userId) => {
      const own = devices.filter((device) => device.owner === userId && ids.has(device.id))
      return { userId, ...(await ringable(tables, account, own, around)) }
    }),
  )
}

const inOrder = (members: Member[], accountId: string, { id, strategy }: Group, { occupancy, turns }: Circumstances): Member[] => {
  if (strategy === 'LONGEST_IDLE') {
    const idleSince = ({ userId }: Member): number => occupancy.idleSince(accountId, userId)
    return members.toSorted((a, b) => idleSince(a) - idleSince(b))
  }
  if (strategy !== 'ROUND_ROBIN' || members.length === 0) return members
  const key = `${accountId}/${id}`
  const turn = (turns.get(key) ?? 0) % members.length
  turns.set(key, turn + 1)
  return [...members.slice(turn), ...members.slice(0, turn)]
}

/** Routing plan for this destination. `payer`: account that pays for external calls, if any. */
export const planDestination = async (
  tables: Tables,
  destination: Destination,
  payer: Payer | undefined,
  around: Circumstances,
): Promise<Plan> => {
  switch (destination.kind) {
    case 'emergency':
      return ringOne(destination, destination.dialled, maxWaitSeconds)
    case 'outside':
      return payer ? ringOne({ kind: 'outside', payer, e164: destination.e164 }, destination.e164) : notAssigned(destination.e164)
    case 'short':
      return payer ? ringOne({ kind: 'outside', payer, e164: destination.digits }, destination.digits) : notAssigned(destination.digits)
    case 'extension':
      return planExtension(tables, destination, around)
    case 'flow':
      return planFlow(tables, destination, around.now)
    case 'messages':
      return { place: undefined, called: destination.called, steps: [{ kind: 'messages' }] }
    case 'unassigned':
    default:
      return notAssigned(destination.called)
  }
}

const ringOne = (phone: Phone, called: string, seconds = ringSeconds): Plan => ({
  place: undefined,
  called,
  steps: [{ kind: 'ring', phones: [phone], seconds, ifNone: 'unavailable' }],
})

const notAssigned = (called: string): Plan => ({ place: undefined, called, steps: [{ kind: 'reject', cause: 'not_found' }] })

const planFlow = async (
  tables: Tables,
  { accountId, flowId, called, numberId, userId, draft, pretends }: Destination & { kind: 'flow' },
  now: number,
): Promise<Plan> => {
  const flow = await tables.flows.find(accountId, flowId)
  if (!flow) return notAssigned(called)
  const place = { accountId, extension: flowId, alias: flow.name, userId }
  const steps: Step[] = [{ kind: 'flow', flowId, ...(draft && { draft }), ...(pretends && { pretends }) }]
  // A user who tests the flow in a browser wants to reach it outside office hours, too.
  if (userId !== undefined) return { place, called, steps }
  const targets = [
    { id: numberId, name: called },
    { id: flowId, name: flow.name },
  ]
  return { place, called, ...(await applyRules(tables, { accountId, place: flowId, targets }, steps, now)) }
}
