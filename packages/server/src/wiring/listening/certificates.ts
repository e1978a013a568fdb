import { PemWatch, type PemWatchOptions } from '#adapters/certificates/pem-watch.ts'
import type { Certificate, CertificateExpiry } from '#core/kernel/network/certificate.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Log } from '#log/log-events.ts'
import { blame, CannotStart } from '#settings/cannot-start.ts'
import type { Settings } from '#settings/config.ts'

/** Certificates of this process, reloaded when their files change. */
export interface Certificates {
  /** For all TLS servers; undefined when there are none. */
  served: Certificate | undefined
  /** Client certificate for the bus servers, and their required authority. */
  bus: () => { cert?: string; key?: string; ca?: string }
  expiries: () => CertificateExpiry[]
  /** Checks the files now. */
  look(): Promise<void>
  close(): Promise<void>
}

interface CertificateDeps {
  clock: Clock
  log: Log
}

export const openCertificates = async (settings: Settings, deps: CertificateDeps): Promise<Certificates> => {
  const served = await watch('tls', servedFiles(settings), deps)
  const bus = await watch('bus', busFiles(settings), deps)
  const all = [...(served ? [{ name: 'tls', watched: served }] : []), ...(bus ? [{ name: 'bus', watched: bus }] : [])]
  return {
    served: served && {
      get cert() {
        return served.pem.cert
      },
      get key() {
        return served.pem.key
      },
      onRenewed: (use) => served.onRenewed(use),
    },
    bus: () => bus?.pem ?? {},
    expiries: () => all.flatMap(({ name, watched: { notAfter } }) => (notAfter === undefined ? [] : [{ name, notAfter }])),
    look: async () => void (await Promise.all(all.map(({ watched }) => watched.look()))),
    close: async () => void (await Promise.all(all.map(({ watched }) => watched.close()))),
  }
}

/** For commands that only check whether the certificates are usable. */
export const checkCertificates = async (settings: Settings, deps: CertificateDeps): Promise<void> =>
  (await openCertificates(settings, deps)).close()

const servedFiles = (settings: Settings): Record<'cert' | 'key', string> | undefined => {
  const { OFFHOOK_TLS_CERT: cert, OFFHOOK_TLS_KEY: key } = settings
  const needing = ['OFFHOOK_HTTPS', 'OFFHOOK_SIP_TLS', 'OFFHOOK_SMPP_TLS', 'OFFHOOK_TLS_CERT', 'OFFHOOK_TLS_KEY'] as const
  const needed = needing.find((name) => settings[name] !== undefined)
  if (needed !== undefined && (cert === undefined || key === undefined))
    throw new CannotStart(`${needed} needs both OFFHOOK_TLS_CERT and OFFHOOK_TLS_KEY.`, undefined)
  return cert === undefined || key === undefined ? undefined : { cert, key }
}

const busFiles = (settings: Settings): Record<'cert' | 'key' | 'ca', string> | undefined => {
  const { OFFHOOK_BUS_CERT: cert, OFFHOOK_BUS_KEY: key, OFFHOOK_BUS_CA: ca } = settings
  if ((cert === undefined) !== (key === undefined))
    throw new CannotStart('OFFHOOK_BUS_CERT and OFFHOOK_BUS_KEY belong together.', undefined)
  const files = { ...(cert !== undefined && { cert }), ...(key !== undefined && { key }), ...(ca !== undefined && { ca }) }
  // Unset files are absent; readers take those that exist.
  return Object.keys(files).length === 0 ? undefined : (files as Record<'cert' | 'key' | 'ca', string>)
}

const watch = async <K extends 'cert' | 'key' | 'ca'>(
  name: 'tls' | 'bus',
  files: PemWatchOptions<K>['files'] | undefined,
  { clock, log }: CertificateDeps,
): Promise<PemWatch<K> | undefined> => {
  if (!files) return undefined
  const setting = `OFFHOOK_${name.toUpperCase()}`
  const until = (at: number | undefined): object => (at === undefined ? {} : { notAfter: new Date(at).toISOString() })
  const watching = PemWatch.open({
    clock,
    files,
    onRenewed: (notAfter) => log('certificate_renewed', { certificate: name, ...until(notAfter) }),
    onUnfit: (error) => log('certificate_not_renewed', { certificate: name, why: error.message }),
    onExpiring: (days, notAfter) =>
      log(days < 0 ? 'certificate_expired' : 'certificate_expires', { certificate: name, days, ...until(notAfter) }),
  })
  const named = Object.entries(files).map(([kind, file]) => `${setting}_${kind.toUpperCase()} (${file as string})`)
  return watching.catch(blame(named.join(' and '), () => true))
}
