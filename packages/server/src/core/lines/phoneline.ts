import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '../ports/clock.ts'
import type { Tables } from '../ports/store/index.ts'
import type { Phoneline } from '../ports/store/phonelines.ts'

/** A line with a voicemail; all devices of its user ring with it. */
export const createPhoneline = async (
  tables: Tables,
  clock: Clock,
  accountId: string,
  { owner, alias }: { owner: string; alias: string },
): Promise<string> => {
  const at = clock.now()
  const id = await tables.phonelines.create(accountId, { owner, alias, at })
  await tables.voicemails.create(accountId, { owner: id, alias: `Voicemail ${alias}`, at })
  for (const device of await tables.devices.listByOwner(accountId, owner)) await tables.phonelines.addDevice(accountId, id, device.id)
  return id
}

export const deletePhoneline = async (tables: Tables, clock: Clock, accountId: string, line: Phoneline): Promise<void> => {
  await requireUnused(tables, accountId, line.id)
  await tables.notifications.removeByEndpoint(accountId, line.id)
  await tables.phonelines.remove(accountId, line.id, clock.now())
  // After the line, whose own forwardings may lead to its voicemail.
  await removeVoicemails(tables, clock, accountId, line.id)
}

/** Nothing may lead to what is about to go: neither numbers nor what other lines forward. */
export const requireUnused = async (tables: Tables, accountId: string, endpoint: string): Promise<void> => {
  const numbers = await tables.numbers.listByEndpoint(accountId, endpoint)
  if (numbers.length > 0) throw new Problem('endpoint_in_use', `Numbers still lead to ${endpoint}; route them elsewhere first.`)
  const [line] = await tables.phonelines.forwardedFrom(accountId, endpoint)
  if (line !== undefined) throw new Problem('endpoint_in_use', `The phone line ${line} still forwards to ${endpoint}.`)
}

export const removeVoicemails = async (tables: Tables, clock: Clock, accountId: string, owner: string): Promise<void> => {
  for (const { id } of await tables.voicemails.listByOwner(accountId, owner)) {
    await requireUnused(tables, accountId, id)
    await tables.notifications.removeByEndpoint(accountId, id)
    await tables.voicemails.remove(accountId, id, clock.now())
  }
}
