/** Common languages of assistants; any other can be typed. */
const usual =
  'en-US en-GB en-AU en-IN de-DE de-AT de-CH fr-FR fr-CH fr-CA es-ES es-MX it-IT nl-NL pt-PT pt-BR pl-PL cs-CZ sk-SK hu-HU ro-RO bg-BG hr-HR sl-SI sr-RS uk-UA ru-RU el-GR tr-TR ar-SA he-IL sv-SE nb-NO da-DK fi-FI et-EE lv-LV lt-LT hi-IN zh-CN ja-JP ko-KR vi-VN th-TH id-ID'.split(
    ' ',
  )

export interface LanguageChoice {
  /** BCP 47. */
  value: string
  label: string
}

/** Canonical spelling; undefined if not a language tag. */
export const tagOf = (typed: string): string | undefined => {
  try {
    return /^[a-z]{2,3}\b/i.test(typed) ? Intl.getCanonicalLocales(typed.trim())[0] : undefined
  } catch {
    return undefined
  }
}

/** By name, in the person's language; `more`: chosen or typed tags, possibly invalid. */
export const languageChoices = (language: string, more: readonly string[]): LanguageChoice[] => {
  const names = new Intl.DisplayNames(language, { type: 'language' })
  const nameOf = (tag: string): string => {
    try {
      return names.of(tag) ?? tag
    } catch {
      return tag
    }
  }
  return [...new Set([...usual, ...more])]
    .filter((tag) => tag !== '')
    .map((value) => ({ value, label: nameOf(value) }))
    .toSorted((one, other) => one.label.localeCompare(other.label, language))
}
