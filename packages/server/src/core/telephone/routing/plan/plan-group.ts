import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Group } from '#core/kernel/ports/store/line/groups.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { ringable, type Circumstances, type Ringable } from './phones.ts'
import type { Step } from './plan.ts'

interface Member extends Ringable {
  userId: string
}

/** All members at once, or one after the other; then the group's voicemail. */
export const planGroup = async (tables: Tables, account: Account, group: Group, around: Circumstances): Promise<Step[]> => {
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

/** Members that do not want a second call while talking are left out. */
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
