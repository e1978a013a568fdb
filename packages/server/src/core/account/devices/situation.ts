import type { Clock } from '#core/kernel/ports/platform.ts'
import type { PageView, PhonePages } from '#core/kernel/ports/browser.ts'
import type { Device, Named, Registration } from '#core/kernel/ports/store/device.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { SimCard } from '#core/kernel/ports/store/number.ts'

type SimState = 'INACTIVE' | 'PENDING' | 'ACTIVE'

/** Current state of a device. Derived on each request and never stored, so it cannot be stale. */
export interface Situation {
  online: boolean
  phonelines: Named[]
  groups: Named[]
  registrations: Registration[]
  /** Active SIM card. */
  card: SimCard | undefined
  simState: SimState
  /** Browser pages in which a BROWSER device is open. */
  pages: PageView[]
}

export type Situated = [device: Device, situation: Situation]

interface DeviceContext {
  /** Clock of the registrations. */
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

/** Browser phones that get push notifications of calls while no page is open. */
const notifiedAmong = async (tables: Tables, accountId: string, devices: readonly Device[]): Promise<Set<string>> => {
  const browsers = devices.filter(({ type }) => type === 'BROWSER')
  const found = await Promise.all(browsers.map(({ owner }) => tables.pushSubscriptions.list(accountId, owner)))
  return new Set(browsers.filter((_, nth) => (found[nth]?.length ?? 0) > 0).map(({ id }) => id))
}
