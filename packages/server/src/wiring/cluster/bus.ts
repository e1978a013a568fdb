import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { localBus } from '#adapters/bus/local-bus.ts'
import type { NatsBusDeps } from '#adapters/bus/nats-bus.ts'
import type { Bus } from '#core/kernel/ports/bus.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import type { MetricSources } from '#core/operate/metrics/families/metric-sources.ts'
import type { Log } from '#log/log-events.ts'
import type { Settings } from '#settings/config.ts'
import type { Certificates } from '../listening/certificates.ts'

export interface BusDeps {
  settings: Settings
  vault: Vault
  wallClock: Clock
  metrics: MetricSources
  certificates: Certificates
  log: Log
}

/** What operators call this process. */
export const nodeName = ({ OFFHOOK_NODE_NAME }: Settings): string => OFFHOOK_NODE_NAME ?? hostname()

/** Between processes, when there is one; else inside this one. */
export const openBus = async (deps: BusDeps): Promise<Bus> => {
  const { settings, certificates, log } = deps
  const onError = (error: unknown, subject: string): void => log('bus_failed', { err: error, subject: withoutIds(subject) })
  const servers = settings.OFFHOOK_BUS
  if (servers === undefined) return localBus(undefined, onError)
  const { natsBus } = await import('#adapters/bus/nats-bus.ts')
  return natsBus({
    servers,
    certificates: certificates.bus,
    name: nodeName(settings),
    onError,
    ...(await sealing(deps)),
    ...reports(deps, servers.servers),
  })
}

/** Both from the secret key, so that the processes of an installation agree without a setting, and others can neither guess nor forge. */
const sealing = async ({ vault, wallClock }: BusDeps): Promise<Pick<NatsBusDeps, 'seal' | 'prefix'>> => {
  const { Seal } = await import('#adapters/bus/seal.ts')
  return { seal: new Seal(vault.derive('bus seal'), wallClock), prefix: `offhook.${installationName(vault)}` }
}

export const installationName = (vault: Vault): string =>
  createHash('sha256').update(vault.derive('bus installation')).digest('hex').slice(0, 12)

const reports = ({ log, vault, metrics }: BusDeps, servers: readonly string[]): Pick<NatsBusDeps, 'onConnected' | 'onIgnored'> => {
  let ignored = 0
  metrics.add(() => [{ name: 'offhook_bus_ignored_total', value: ignored }])
  const where = { servers: servers.join(','), subjects: `offhook.${installationName(vault)}.>` }
  return {
    onConnected: (connected, error) => (connected ? log('bus_connected', where) : log('bus_away', { ...where, err: error })),
    onIgnored(why) {
      if (ignored++ === 0) log('bus_disbelieved', { why })
    },
  }
}

/** Subjects end with ids; which kind of message it was is in front of them. */
const withoutIds = (subject: string): string => subject.split('.').slice(0, 4).join('.')
