import type { Live } from '@offhook/sdk'
import { hasKey, type LiveServerParts } from '@offhook/sdk/serve.ts'
import type { AgentSettings, ServiceHost } from './host.ts'
import type { SettingsCache } from './settings-cache.ts'

const place = /^\/([\w-]{1,100})\/(draft|[1-9]\d{0,8})(?:\?test=([\w-]{1,100}))?$/

export interface AdmissionDeps {
  bot: Live<AgentSettings>
  settings: SettingsCache
  host: Pick<ServiceHost, 'rehearsal'>
}

/** For the service: who has the key may name any assistant that there is. */
export const admission =
  (key: string, { bot, settings, host }: AdmissionDeps): LiveServerParts<AgentSettings>['admit'] =>
  async (request) => {
    if (!hasKey(request, key)) return '401 Unauthorized'
    const [, flowId, version, test] = place.exec(request.url ?? '') ?? []
    if (flowId === undefined || version === undefined) return '404 Not Found'
    try {
      const found = await settings.get(flowId, version === 'draft' ? version : Number(version))
      return { bot, given: test === undefined ? found : { ...found, rehearsal: await host.rehearsal(test) } }
    } catch {
      return '404 Not Found'
    }
  }
