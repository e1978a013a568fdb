import { Problem } from '@offhook/contract/problem.ts'
import { requireType } from './change-device.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { activateCard, claimCard, deactivateCard } from '../sims/move-order.ts'
import { moveOrder } from '../sims/move-order.ts'

interface DeviceSim {
  accountId: string
  device: Device
  actor: string
}

/** Assigns a card to a device and activates it. Fulfils the order if the card was ordered for it. */
export const assignSim = async (tables: Tables, clock: Clock, { accountId, device, actor }: DeviceSim, iccid: string): Promise<void> => {
  requireType(device, 'MOBILE')
  const holder = { accountId, deviceId: device.id }
  const card = await claimCard(tables, holder, iccid)
  if (card.state === 'ACTIVE') return
  const order = await tables.sims.lockOpenOrder(accountId, device.id)
  if (order?.iccid === iccid) await moveOrder(tables, clock, order, { event: 'activate' })
  else await activateCard(tables, holder, iccid)
  await tables.audit.append(accountId, { at: clock.now(), actor, action: 'sim.activate', target: device.id, detail: { iccid } })
}

export const removeSim = async (tables: Tables, clock: Clock, { accountId, device, actor }: DeviceSim): Promise<void> => {
  requireType(device, 'MOBILE')
  const card = await deactivateCard(tables, accountId, device.id)
  if (!card) throw new Problem('sim_not_found')
  const detail = { iccid: card.iccid }
  await tables.audit.append(accountId, { at: clock.now(), actor, action: 'sim.deactivate', target: device.id, detail })
}
