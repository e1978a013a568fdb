import type {
  BrowserDevice,
  Device as DeviceElement,
  ExternalDevice,
  MobileDevice,
  RegisterDevice,
} from '@offhook/contract/v1/devices/device-values.ts'
import type { Static } from 'typebox'
import { situate, type Situated, type Situation } from '#core/account/devices/situation.ts'
import type { Device } from '#core/kernel/ports/store/device/devices.ts'
import type { HandlerDeps } from '#http/handler/handler-parts.ts'

type ViewDeps = Pick<HandlerDeps, 'store' | 'wallClock' | 'vault' | 'installation' | 'phonePages'>

/** What opens something: `shown` in place of what is kept, or empty, so that the element has the shape that programs know. */
export type Secrets = 'shown' | 'hidden'

/** Devices as their users see them, with what they need to connect. */
export const viewDevices = async (
  deps: ViewDeps,
  accountId: string,
  devices: Device[],
  secrets: Secrets,
): Promise<Static<typeof DeviceElement>[]> => {
  const situated = await situate(deps.store.read, { ...deps, clock: deps.wallClock }, accountId, devices)
  const open = (sealed: string): string => (secrets === 'shown' ? deps.vault.open(sealed) : '')
  return situated.map((one) => view({ ...deps, open }, one))
}

type Viewing = ViewDeps & { open: (sealed: string) => string }

const view = (parts: Viewing, [device, situation]: Situated): Static<typeof DeviceElement> => {
  if (device.type === 'REGISTER') return viewRegister(parts, device, situation)
  if (device.type === 'BROWSER') return viewBrowser(device, situation)
  return device.type === 'MOBILE' ? viewMobile(parts, device, situation) : viewExternal(device, situation)
}

const common = (device: Device, { online, phonelines, groups }: Situation) => ({
  id: device.id,
  alias: device.alias,
  online,
  dnd: device.dnd,
  activePhonelines: phonelines,
  activeGroups: groups,
  ...(device.emergencyAddressId !== undefined && {
    emergencyAddressId: device.emergencyAddressId,
    addressUrl: `/v1/addresses/${device.emergencyAddressId}`,
  }),
})

const viewRegister = (parts: Viewing, device: Device, situation: Situation): Static<typeof RegisterDevice> => {
  const { host, port, webSocketUrl } = parts.installation.sip
  return {
    ...common(device, situation),
    type: 'REGISTER',
    credentials: {
      username: device.sip?.username ?? '',
      password: device.sip ? parts.open(device.sip.passwordSealed) : '',
      sipServer: port === 5060 ? host : `${host}:${port}`,
      outboundProxy: `${host}:${port}`,
      sipServerWebsocketUrl: webSocketUrl(),
    },
    registered: situation.registrations.map(({ userAgent, ip, port: from }) => ({ userAgent, ip, port: from })),
  }
}

const viewMobile = (parts: Viewing, device: Device, situation: Situation): Static<typeof MobileDevice> => {
  const { card, simState } = situation
  return {
    ...common(device, situation),
    type: 'MOBILE',
    ...(card && {
      credentials: { simId: card.iccid, puk1: parts.open(card.puk1Sealed), puk2: parts.open(card.puk2Sealed) },
    }),
    simState,
    esim: device.esim,
  }
}

const viewExternal = (device: Device, situation: Situation): Static<typeof ExternalDevice> => ({
  ...common(device, situation),
  type: 'EXTERNAL',
  number: device.external?.number ?? '',
  incomingCallDisplayState: device.external?.incomingCallDisplay ?? 'CALLER_NUMBER',
})

const viewBrowser = (device: Device, situation: Situation): Static<typeof BrowserDevice> => ({
  ...common(device, situation),
  type: 'BROWSER',
  pages: situation.pages.map(({ since, ...page }) => ({ ...page, since: new Date(since).toISOString() })),
})
