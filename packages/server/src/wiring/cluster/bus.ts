import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { localBus } from '#adapters/bus/local-bus.ts'
import type { NatsBusDeps } from '#adapters/bus/nats-bus.ts'
import type { Bus, Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { MetricSources } from '#core/operate/metrics/families/metric-sources.ts'
import type { Log } from '#log/log-events.ts'
import type { Settings } from '#settings/config.ts'
import type { Certificates } from '../listening/certificates.ts'

interface BusDeps {
  settings: Settings
  vault: Vault
  wallClock: Clock
  metrics: MetricSources
  certificates: Certificates
  log: Log
}

/** Display name of this node. */
export const nodeName = ({ OFFHOOK_NODE_NAME }: Settings): string => OFFHOOK_NODE_NAME ?? hostname()

/** Opens the bus between nodes if configured, else one inside this process. */
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

/** Derived from the secret key, so that the nodes of an installation agree without a setting, and others can neither guess nor forge. */
const sealing = async ({ vault, wallClock }: BusDeps): Promise<Pick<NatsBusDeps, 'seal' | 'clock' | 'prefix'>> => {
  const { Seal } = await import('#adapters/bus/seal.ts')
  return { seal: new Seal(vault.derive('bus seal'), wallClock), clock: wallClock, prefix: `offhook.${installationName(vault)}` }
}

const installationName = (vault: Vault): string => createHash('sha256').update(vault.derive('bus installation')).digest('hex').slice(0, 12)

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

/** Subjects end with ids; the kind of message comes before them. */
const withoutIds = (subject: string): string => subject.split('.').slice(0, 4).join('.')
