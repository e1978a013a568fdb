import type { Flow as FlowElement, FlowHealth as HealthElement, FlowVersion as VersionElement } from '@offhook/contract/v3/flow-values.ts'
import type { Static } from 'typebox'
import { speechOf } from '#core/account/flows/flow-speech.ts'
import { toSettingsElement } from '#core/account/flows/flow-element.ts'
import type { FlowHealth } from '#core/assistant/delivery/health/flow-health.ts'
import type { Listeners } from '#core/assistant/delivery/listeners/listeners.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { Delivery } from '#core/kernel/ports/store/assistant/deliveries.ts'
import type { FlowVersion } from '#core/kernel/ports/store/assistant/flow-versions.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Flows of one account as the interface shows them. */
export const flowView = async (
  tables: Tables,
  { speech, listeners }: { speech: Speech; listeners: Listeners },
  accountId: string,
): Promise<(flow: Flow) => Static<typeof FlowElement>> => {
  const listenerOf = (flowId: string) => {
    const listener = listeners.of(accountId, flowId)
    return listener && { listener: { ...(listener.to !== undefined && { to: listener.to }) } }
  }
  const locale = (await tables.accounts.find(accountId))?.locale ?? 'en_US'
  return ({ id, name, settings }) => ({
    id,
    name,
    ...toSettingsElement(settings),
    apiKeySet: settings.apiKey !== undefined,
    version: settings.version ?? 1,
    ...listenerOf(id),
    speech: speechOf(speech, settings, locale),
  })
}

export const toHealth = ({ state, since, lastSuccessAt, lastFailure }: FlowHealth): Static<typeof HealthElement> => ({
  state,
  ...(since !== undefined && { since: new Date(since).toISOString() }),
  ...(lastSuccessAt !== undefined && { lastSuccessAt: new Date(lastSuccessAt).toISOString() }),
  ...(lastFailure && { lastFailure: toFailure(lastFailure) }),
})

const toFailure = ({ at, status, error, id }: Delivery): NonNullable<Static<typeof HealthElement>['lastFailure']> => ({
  at: new Date(at).toISOString(),
  ...(status !== undefined && { status }),
  message: error ?? (status === undefined ? 'unknown' : `HTTP ${status}`),
  deliveryId: id,
})

export const toVersion = ({ version, at, author, settings }: FlowVersion): Static<typeof VersionElement> => ({
  version,
  at: new Date(at).toISOString(),
  ...(author !== undefined && { author }),
  settings,
})
