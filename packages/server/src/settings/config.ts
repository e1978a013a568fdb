import { gatherSettings, type Environment, type Source } from './setting-sources.ts'
import { settingsSchema } from './settings-schema.ts'

type Schema = typeof settingsSchema
export type Settings = { [Name in keyof Schema]: ReturnType<Schema[Name]['read']> }

/** Raw value of a setting before parsing. */
export interface SettingInForce {
  name: string
  text: string
  source: Source
}

/** Result of reading the settings; `settings` only without errors. */
export interface SettingsReport {
  inForce: SettingInForce[]
  settings: Settings | undefined
  mistakes: string[]
  warnings: string[]
}

/** Reads all settings; collects all errors by name and place. */
export const reportSettings = (environment: Environment): SettingsReport => {
  const { said, mistakes, warnings } = gatherSettings(environment)
  const inForce: SettingInForce[] = []
  const settings: Record<string, unknown> = {}
  for (const [name, { default: fallback, read }] of Object.entries(settingsSchema)) {
    const { text, source } = said.get(name) ?? { text: fallback, source: { kind: 'default' } as const }
    inForce.push({ name, text, source })
    try {
      settings[name] = read(text)
    } catch (error) {
      mistakes.push(`${name} ${(error as Error).message}${source.where === undefined ? '' : ` (${source.where})`}`)
    }
  }
  return { inForce, settings: mistakes.length === 0 ? (settings as Settings) : undefined, mistakes, warnings }
}

/** Returns only the values; throws with all errors. */
export const readSettings = (environment: Environment): Settings => {
  const { settings, mistakes } = reportSettings(environment)
  if (settings === undefined) throw new Error(mistakes.join('\n'))
  return settings
}
