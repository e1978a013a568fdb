import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Circumstances } from './phones.ts'
import { ringable } from './phones.ts'
import { planGroup } from './plan-group.ts'
import { planLine } from './plan-line.ts'
import { applyRules } from './plan-rules.ts'
import { ringSeconds, type Place, type Plan, type Step } from './plan.ts'

const unassigned: Step[] = [{ kind: 'reject', cause: 'not_found' }]

/** What is done for a caller to this extension. `called` is the number that leads to it, if it was reached by one. */
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

/** Shown as the number that a call was forwarded from. */
const numberOf = async (tables: Tables, accountId: string, extension: string): Promise<string | undefined> => {
  const numbers = await tables.numbers.listByEndpoint(accountId, extension)
  return numbers.find(({ e164, state }) => e164 !== undefined && state === 'ACTIVE')?.e164
}

interface Steps {
  steps: Step[]
  /** Whose extension it is. */
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
  const ifNone = undisturbed ? 'do_not_disturb' : 'busy' // it calls itself
  return { steps: [{ kind: 'ring', phones, seconds: ringSeconds, ifNone }], userId: device.owner }
}
