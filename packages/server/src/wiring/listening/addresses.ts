import { resolve } from 'node:path'
import type { InstanceFile } from '#adapters/machine/instance-file.ts'
import type { Log } from '#log/log-events.ts'
import { version } from '#settings/version.ts'
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

/** For commands on this machine. The service works without it. */
export const noteInstance = (file: InstanceFile, { id, addresses, log }: { id: string; addresses: Addresses; log: Log }): Promise<void> => {
  const { OFFHOOK_CONFIG: config } = process.env
  const notes = {
    instance: id,
    pid: process.pid,
    version: version(),
    startedAt: new Date().toISOString(),
    node: process.versions.node,
    addresses,
    ...(config !== undefined && config !== '' && { config: resolve(config) }),
  }
  return file.write(notes).catch((error: unknown) => log('instance_not_noted', { err: error }))
}
