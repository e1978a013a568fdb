import type { Speech } from '#core/kernel/ports/speech.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Languages spoken and recognised in calls of a flow, by its settings; `locale`: the account's. */
export const languagesOf = ({ language, tts, stt }: FlowSettings, locale: string): string[] => {
  const own = language ?? locale.replace('_', '-')
  return [tts?.language ?? own, ...(stt?.languages ?? [own])]
}

/** Preloads models, so that the first caller of a new or changed flow does not wait for them. */
export const prepareSpeech = async (speech: Speech, tables: Tables, accountId: string, settings: FlowSettings): Promise<void> => {
  const account = await tables.accounts.find(accountId)
  if (account) void speech.prepare(languagesOf(settings, account.locale))
}
