import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { AgentServerParts } from './agent-server.ts'
import type { ServiceHost } from './host.ts'
import type { SettingsCache } from './settings-cache.ts'

const place = /^\/([\w-]{1,100})\/(draft|[1-9]\d{0,8})(?:\?test=([\w-]{1,100}))?$/

/** For the service: who has the key may name any assistant that there is. */
export const admission =
  (key: string, settings: SettingsCache, host: Pick<ServiceHost, 'rehearsal'>): AgentServerParts['admit'] =>
  async (request) => {
    if (!hasKey(request, key)) return '401 Unauthorized'
    const [, flowId, version, test] = place.exec(request.url ?? '') ?? []
    if (flowId === undefined || version === undefined) return '404 Not Found'
    try {
      const found = await settings.get(flowId, version === 'draft' ? version : Number(version))
      return test === undefined ? found : { ...found, rehearsal: await host.rehearsal(test) }
    } catch {
      return '404 Not Found'
    }
  }

/** Hashes have the same length, whatever was given. */
export const hasKey = ({ headers }: IncomingMessage, key: string): boolean => {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  const given = headers['x-api-key']
  return typeof given === 'string' && timingSafeEqual(hash(given), hash(key))
}
