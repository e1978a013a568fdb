import { outboundHttp } from '#adapters/outbound-http.ts'
import { GatewayRoute } from '#adapters/sms/gateway-route.ts'
import type { SmsGateway } from '#adapters/sms/gateway-url.ts'
import { SmppServer, type ListenAddress } from '#adapters/sms/smpp-server.ts'
import { SmppRoute } from '#adapters/sms/smpp-route.ts'
import type { SmppAccount } from '#adapters/sms/smpp-url.ts'
import { blame } from '#settings/cannot-start.ts'
import type { Settings } from '#settings/config.ts'
import type { LoginDeps } from '#core/account/identity/login/log-in.ts'
import type { Certificate } from '#core/kernel/network/certificate.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { SmsRouteView, PhoneMessages, SmsReceiver, SmsRoute } from '#core/kernel/ports/messages.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { SessionDeps } from '#core/money/paid-order.ts'
import { GatewayCallbacks } from '#core/messages/sms/receiving/gateway-callbacks.ts'
import { smsReceiver } from '#core/messages/sms/receiving/sms-receiver.ts'
import type { SmsParts } from '#core/messages/sms/state/sms-parts.ts'
import { bracketed } from '@offhook/sip/grammar/uri.ts'
import type { Log } from '#log/log-events.ts'

interface OpenSmsDeps {
  settings: Settings
  store: Store
  clock: Clock
  /** For message centres and programs. */
  wallClock: Clock
  vault: Vault
  /** Needed for the server over TLS. */
  certificates: { served: Certificate | undefined }
  log: Log
  phones: PhoneMessages
  publicUrl: () => string
  wake: () => void
  pollIntervalMs: number
}

/** SMS: routes to other networks, their receiver, and the SMPP server for customers' programs. */
export interface Sms {
  deps: SmsParts
  states: () => SmsRouteView[]
  gateway: GatewayCallbacks | undefined
  /** Addresses of the SMPP server. */
  addresses: () => string[]
  ports: () => { scheme: 'smpp' | 'smpps'; port: number }[]
  /** Starts sending and receiving messages. */
  start(deps: SessionDeps & LoginDeps): Promise<void>
  /** Resolves when no delivery to a program is pending. */
  idle(): Promise<void>
  close(): Promise<void>
}

interface OpenedRoute {
  route: SmsRoute
  view: () => SmsRouteView
  start?(): void
  close(): Promise<void>
}

/** Connects nothing before `start`. */
export const openSms = (opening: OpenSmsDeps): Sms => {
  const { settings, store, clock, wallClock, vault, log, phones, publicUrl, wake } = opening
  const routes: SmsRoute[] = []
  let server: SmppServer | undefined
  const deps: SmsParts = {
    store,
    clock,
    wallClock,
    routes,
    phones,
    serviceSender: settings.OFFHOOK_SMS_SENDER,
    country: settings.OFFHOOK_COUNTRY,
    wake,
    programHasEvents: ({ accountId, smsId }) => smsId !== undefined && server?.hasNews(accountId, smsId),
    onRefused: (route, why) => log('sms_rejected', { route, pii: { why } }),
    onUnclaimed: (route, recipient) => log('sms_recipient_unknown', { route, pii: { recipient } }),
  }
  const receiver = smsReceiver(deps)
  const { OFFHOOK_SMPP_URL: account, OFFHOOK_SMS_GATEWAY_URL: gateway } = settings
  const callbacks = gateway && new GatewayCallbacks({ vault, receiver, publicUrl })
  const opened = [
    ...(account ? [openSmpp({ wallClock, log, receiver }, account)] : []),
    ...(gateway && callbacks ? [openGateway(wallClock, gateway, callbacks)] : []),
  ]
  routes.push(...opened.map(({ route }) => route))
  return {
    deps,
    states: () => opened.map(({ view }) => view()),
    gateway: callbacks,
    addresses: () =>
      (server?.ports() ?? []).map(({ scheme, port }) => `${scheme}://${bracketed(smppHost(settings, scheme, publicUrl()))}:${port}`),
    ports: () => server?.ports() ?? [],
    async start(session) {
      server = await openServer(opening, session)
      for (const one of opened) one.start?.()
    },
    idle: async () => server?.idle(),
    async close() {
      await server?.close()
      await Promise.all(opened.map((one) => one.close()))
    },
  }
}

const openSmpp = (
  { wallClock: clock, log, receiver }: Pick<OpenSmsDeps, 'wallClock' | 'log'> & { receiver: SmsReceiver },
  account: SmppAccount,
): OpenedRoute => {
  const route = new SmppRoute({
    account,
    clock,
    receiver,
    random: Math.random,
    changed: (state) => log(state.bound ? 'smsc_connected' : 'smsc_disconnected', { ...state }),
    fault: (error) => log('smsc_message_failed', { err: error }),
  })
  return {
    route,
    view: () => ({ name: route.name, ...route.state }),
    start: () => route.start(),
    close: () => route.close(),
  }
}

/** The operator named the gateway, so the egress rules for customers' addresses do not apply to it. */
const openGateway = (clock: Clock, gateway: SmsGateway, callbacks: GatewayCallbacks): OpenedRoute => {
  const outbound = outboundHttp({ allow: [new URL(gateway.url).host] })
  const route = new GatewayRoute({ clock, gateway, outbound, receiptsUrl: () => callbacks.receiptsUrl() })
  return { route, view: () => ({ name: route.name, ...route.state }), close: () => outbound.close() }
}

/** Where it listens at every address, programs get the host of the REST API. */
const smppHost = (settings: Settings, scheme: 'smpp' | 'smpps', publicUrl: string): string => {
  const { OFFHOOK_PUBLIC_ADDRESS: known, OFFHOOK_SMPP: listen, OFFHOOK_SMPP_TLS: secure } = settings
  const { host = '' } = (scheme === 'smpp' ? listen : secure) ?? {}
  return known ?? (['0.0.0.0', '::'].includes(host) ? new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1') : host)
}

const openServer = async (
  { settings, wallClock, certificates, log, pollIntervalMs }: OpenSmsDeps,
  session: SessionDeps & LoginDeps,
): Promise<SmppServer> => {
  const { OFFHOOK_SMPP: listen, OFFHOOK_SMPP_TLS: secure } = settings
  const server = new SmppServer({
    ...session,
    wallClock,
    listen,
    secure: secure && certificates.served && { ...secure, certificate: certificates.served },
    pollIntervalMs,
    onBound: (systemId, bound) => log(bound ? 'smpp_client_bound' : 'smpp_client_unbound', { systemId }),
    onFault: (error) => log('smpp_server_failed', { err: error }),
  })
  await server.open().catch(blame(`OFFHOOK_SMPP (${[listen, secure].flatMap(addressText).join(', ')})`))
  for (const { scheme, port } of server.ports()) log('smpp_listening', { scheme, port })
  return server
}

const addressText = (address: ListenAddress | undefined): string[] => (address ? [`${bracketed(address.host)}:${address.port}`] : [])
