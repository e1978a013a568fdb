import { deDe } from './de-de.ts'
import { enUs, type TextKey } from './en-us.ts'

export type { TextKey } from './en-us.ts'
export type Locale = 'de_DE' | 'en_US'

const languages = new Map<string, Record<TextKey, string>>([
  ['de', deDe],
  ['en', enUs],
])

/** All texts of a locale such as de_DE, de-AT or de, for which those of its language serve; undefined if unsupported. */
export function translations(locale: string): Record<TextKey, string> | undefined {
  const [, language = ''] = /^([a-z]{2})(?:[-_][a-z0-9]{2,8})*$/i.exec(locale) ?? []
  return languages.get(language.toLowerCase())
}

/** Fills in the placeholders of a text. Plain text: escape it for HTML. */
export function text(locale: Locale, key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const template = (locale === 'de_DE' ? deDe : enUs)[key]
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`The text ${key} needs a value for {${name}}.`)
    return String(values[name])
  })
}
