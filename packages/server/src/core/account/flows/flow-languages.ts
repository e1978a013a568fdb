import type { Speech } from '#core/kernel/ports/speech.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** What is spoken and heard in calls of a flow, as far as its settings tell; `locale`: the account's. */
export const languagesOf = ({ language, tts, stt }: FlowSettings, locale: string): string[] => {
  const own = language ?? locale.replace('_', '-')
  return [tts?.language ?? own, ...(stt?.languages ?? [own])]
}

/** The first caller of a flow that is new, or speaks another language now, does not wait for models. */
export const prepareSpeech = async (speech: Speech, tables: Tables, accountId: string, settings: FlowSettings): Promise<void> => {
  const account = await tables.accounts.find(accountId)
  if (account) speech.prepare(languagesOf(settings, account.locale))
}
