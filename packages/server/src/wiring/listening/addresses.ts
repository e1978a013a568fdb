import { addressText, type Address } from '#settings/setting-values.ts'
import type { Settings } from '#settings/config.ts'

/** Where this process listens, by what is spoken there: an address with its scheme for HTTP, else host:port. */
export interface Addresses {
  http: string
  https?: string
  /** Over UDP and TCP. */
  sip: string
  sipTls?: string
  sipWs?: string
  sipWss?: string
  smpp?: string
  smpps?: string
}

interface AddressParts {
  settings: Settings
  telephony: { port(kind: 'udp' | 'tls' | 'ws' | 'wss'): number | undefined }
  sms: { ports: () => { scheme: string; port: number }[] }
  http: string
  https: string | undefined
}

export const addressesOf = ({ settings, telephony, sms, http, https }: AddressParts): Addresses => {
  const { OFFHOOK_SIP: sip, OFFHOOK_SIP_TLS: tls, OFFHOOK_SIP_WS: ws, OFFHOOK_SMPP: smpp, OFFHOOK_SMPP_TLS: smpps } = settings
  const smppPort = (scheme: string) => sms.ports().find((each) => each.scheme === scheme)?.port
  return {
    http,
    ...(https !== undefined && { https }),
    sip: addressText({ host: sip.host, port: telephony.port('udp') ?? sip.port }),
    ...named('sipTls', tls, telephony.port('tls')),
    ...named('sipWs', ws, telephony.port('ws')),
    ...named('sipWss', ws, telephony.port('wss')),
    ...named('smpp', smpp, smppPort('smpp')),
    ...named('smpps', smpps, smppPort('smpps')),
  }
}

const named = (name: keyof Addresses, at: Address | undefined, port: number | undefined): Partial<Addresses> =>
  at === undefined || port === undefined ? {} : { [name]: addressText({ host: at.host, port }) }
