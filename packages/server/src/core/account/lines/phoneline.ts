import { Problem } from '@offhook/contract/problem.ts'
import type { RemovalDeps } from '#core/kernel/ports/account/clean-ups.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Phoneline } from '#core/kernel/ports/store/line/phonelines.ts'
import { retireEndpoint } from './retire-endpoint.ts'

const maxLines = 50

/** A line with a voicemail; all devices of its user ring with it. */
export const createPhoneline = async (
  tables: Tables,
  clock: Clock,
  accountId: string,
  { owner, alias }: { owner: string; alias: string },
): Promise<string> => {
  const at = clock.now()
  await tables.accounts.lock(accountId) // so that a device that is added at the same moment rings as well
  if ((await tables.phonelines.list(accountId, owner)).length >= maxLines)
    throw new Problem('conflict', `A user has at most ${maxLines} phone lines.`)
  const id = await tables.phonelines.create(accountId, { owner, alias, at })
  await tables.voicemails.create(accountId, { owner: id, alias: `Voicemail ${alias}`, at })
  for (const device of await tables.devices.listByOwner(accountId, owner)) await tables.phonelines.addDevice(accountId, id, device.id)
  return id
}

/** The account's lock keeps a number or forwarding from being led here at the same moment. */
export const deletePhoneline = async (tables: Tables, clock: Clock, accountId: string, line: Phoneline): Promise<void> => {
  await tables.accounts.lock(accountId)
  await retireEndpoint(tables, accountId, line.id)
  await tables.phonelines.remove(accountId, line.id, clock.now())
  // After the line, whose own forwardings may lead to its voicemail.
  await removeVoicemails(tables, clock, accountId, line.id)
}

export const removeVoicemails = async (tables: Tables, clock: Clock, accountId: string, owner: string): Promise<void> => {
  for (const { id } of await tables.voicemails.listByOwner(accountId, owner)) {
    await retireEndpoint(tables, accountId, id)
    await tables.voicemails.remove(accountId, id, clock.now())
  }
}

export const removeFaxlines = async (
  tables: Tables,
  { clock, cleanUps: cleanups }: RemovalDeps,
  accountId: string,
  owner: string,
): Promise<void> => {
  for (const { id } of await tables.faxlines.listByOwner(accountId, owner)) {
    await retireEndpoint(tables, accountId, id)
    await cleanups.faxlineGoes(tables, accountId, id)
    await tables.faxlines.remove(accountId, id, clock.now())
  }
}
