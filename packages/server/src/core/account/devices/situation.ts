import type { Clock } from '#core/kernel/ports/clock.ts'
import type { PageView, PhonePages } from '#core/kernel/ports/browser/phone-pages.ts'
import type { Device, Named } from '#core/kernel/ports/store/device/devices.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Registration } from '#core/kernel/ports/store/device/registrations.ts'
import type { SimCard } from '#core/kernel/ports/store/number/sims.ts'

export type SimState = 'INACTIVE' | 'PENDING' | 'ACTIVE'

/** How things stand with a device at this moment. Derived each time and kept nowhere, so it cannot be out of date. */
export interface Situation {
  online: boolean
  phonelines: Named[]
  groups: Named[]
  registrations: Registration[]
  /** The active one. */
  card: SimCard | undefined
  simState: SimState
  /** Where a BROWSER device is open. */
  pages: PageView[]
}

export type Situated = [device: Device, situation: Situation]

export interface DeviceContext {
  /** The one that phones go by. */
  clock: Clock
  phonePages: PhonePages
}

export const situate = async (
  tables: Tables,
  { clock, phonePages }: DeviceContext,
  accountId: string,
  devices: readonly Device[],
): Promise<Situated[]> => {
  const ids = devices.map((device) => device.id)
  const mobiles = devices.filter((device) => device.type === 'MOBILE').map((device) => device.id)
  const [phonelines, groups, registrations, cards, waiting, notified] = await Promise.all([
    tables.devices.phonelines(accountId, ids),
    tables.devices.groups(accountId, ids),
    tables.devices.registrations(accountId, ids, clock.now()),
    tables.sims.activeCards(accountId, mobiles),
    tables.sims.devicesWithOpenOrder(accountId, mobiles),
    notifiedAmong(tables, accountId, devices),
  ])
  return devices.map((device) => {
    const card = cards.get(device.id)
    const simState: SimState = card ? 'ACTIVE' : waiting.has(device.id) ? 'PENDING' : 'INACTIVE'
    const live = registrations.get(device.id) ?? []
    const pages = device.type === 'BROWSER' ? phonePages.views(accountId, device.id) : []
    const online = {
      REGISTER: live.length > 0,
      MOBILE: simState === 'ACTIVE',
      EXTERNAL: true,
      BROWSER: pages.length > 0 || notified.has(device.id),
    }[device.type]
    const members = { phonelines: phonelines.get(device.id) ?? [], groups: groups.get(device.id) ?? [] }
    return [device, { online, ...members, registrations: live, card, simState, pages }]
  })
}

/** Phones in browsers that are notified of calls when no page is open. */
const notifiedAmong = async (tables: Tables, accountId: string, devices: readonly Device[]): Promise<Set<string>> => {
  const browsers = devices.filter(({ type }) => type === 'BROWSER')
  const found = await Promise.all(browsers.map(({ owner }) => tables.pushSubscriptions.list(accountId, owner)))
  return new Set(browsers.filter((_, nth) => (found[nth]?.length ?? 0) > 0).map(({ id }) => id))
}
