import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { SimCard, SimHolder } from '#core/kernel/ports/store/number/sims.ts'

/** Makes a card the one of its device; an earlier one ends. */
export const activateCard = async (tables: Tables, { accountId, deviceId }: Required<SimHolder>, iccid: string): Promise<void> => {
  await deactivateCard(tables, accountId, deviceId)
  await tables.sims.setCard(iccid, 'ACTIVE', { accountId, deviceId })
}

/** The card that was deactivated, if there was one. A deactivated card never works again. */
export const deactivateCard = async (tables: Tables, accountId: string, deviceId: string): Promise<SimCard | undefined> => {
  const card = (await tables.sims.activeCards(accountId, [deviceId])).get(deviceId)
  if (card) await tables.sims.setCard(card.iccid, 'DEACTIVATED', { accountId, deviceId })
  return card
}

/** A card that this device may be given: it was sent for this device, or handed to its account. Knowing a card's number is not enough. */
export const claimCard = async (tables: Tables, { accountId, deviceId }: Required<SimHolder>, iccid: string): Promise<SimCard> => {
  const card = await tables.sims.lockCard(iccid)
  if (card?.holder?.accountId !== accountId) throw Problem.field('simId', 'is not a SIM card of this account')
  if (card.state === 'DEACTIVATED') throw new Problem('conflict', 'The SIM card was deactivated for good.')
  if (card.holder.deviceId !== undefined && card.holder.deviceId !== deviceId)
    throw new Problem('conflict', 'The SIM card belongs to another device.')
  return card
}
