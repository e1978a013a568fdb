import type { KnownVoice } from '#core/kernel/ports/speech.ts'

const names = new Intl.DisplayNames('en', { type: 'language' })

/** A voice that is called like the language it speaks, as all are that need no provider. */
export const voiceOf = (id: string): KnownVoice => {
  try {
    const [language = id] = Intl.getCanonicalLocales(id)
    return { id, name: names.of(language) ?? id, language }
  } catch {
    return { id, name: id, language: id } // a variant that is no language tag
  }
}
