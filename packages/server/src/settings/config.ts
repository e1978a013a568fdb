import { settingsSchema } from './settings-schema.ts'

type Schema = typeof settingsSchema
export type Settings = { [Name in keyof Schema]: ReturnType<Schema[Name]['read']> }

/** Reads all settings; complains about everything that is wrong at once, by name. */
export const readSettings = (environment: Record<string, string | undefined>): Settings => {
  const problems: string[] = []
  const settings: Record<string, unknown> = {}
  for (const [name, { default: fallback, read }] of Object.entries(settingsSchema)) {
    try {
      settings[name] = read(environment[name] ?? fallback)
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`)
    }
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return settings as Settings
}

/** Names that look like ours but mean nothing: probably misspelt. */
export const unknownSettings = (environment: Record<string, string | undefined>): string[] =>
  Object.keys(environment).filter((name) => name.startsWith('OFFHOOK_') && !(name in settingsSchema))
