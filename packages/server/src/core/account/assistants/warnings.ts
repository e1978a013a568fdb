import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { StoredAssistant } from '#core/kernel/ports/store/assistant/assistants.ts'

/** What may not be meant so, although it works. `present`: what stood there before. */
export const warningsOf = (settings: AssistantSettings, present: StoredAssistant | undefined): string[] =>
  [
    !settings.model && 'Without a model the assistant says its greeting and follows its keys, and nothing else.',
    settings.model && settings.prompt.trim() === '' && 'The prompt is empty: the model is told nothing about what it is for.',
    settings.disclosure?.mode === 'off' && 'Callers are not told that they talk to a machine; in many countries they must be.',
    settings.tools?.send_sms &&
      !sendsAnything(settings.tools.send_sms) &&
      'tools.send_sms has neither templates nor free_text: nothing can be sent.',
    ...foreignKeys(settings, present),
  ].filter((warning) => typeof warning === 'string')

const sendsAnything = ({ templates = [], free_text = false }: NonNullable<NonNullable<AssistantSettings['tools']>['send_sms']>): boolean =>
  templates.length > 0 || free_text

/** A key that stays although the address is of another host is shown to that one. */
const foreignKeys = (settings: AssistantSettings, present: StoredAssistant | undefined): string[] => {
  const places = {
    model: [settings.model, present?.model],
    'model.second': [settings.model?.second, present?.model?.second],
    'knowledge.embeddings': [settings.knowledge?.embeddings, present?.knowledge?.embeddings],
  } as const
  return Object.entries(places)
    .filter(
      ([, [now, before]]) =>
        now?.api_key === undefined && typeof before?.api_key === 'string' && now && hostOf(now.url) !== hostOf(before.url),
    )
    .map(([place]) => `${place}.url leads to another host, which gets the key that was kept.`)
}

const hostOf = (url: string): string | undefined => URL.parse(url)?.host
