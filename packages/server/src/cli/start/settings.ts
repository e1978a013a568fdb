import { reportSettings, type Settings } from '#settings/config.ts'
import { settingsSchema } from '#settings/settings-schema.ts'
import { Mistake } from '../terminal/mistake.ts'

/** Returns the effective settings; prints warnings, and throws with all errors. */
export const settingsOf = (environment: NodeJS.ProcessEnv): Settings => {
  const { settings, mistakes, warnings } = reportSettings(environment)
  for (const warning of warnings) console.error(`offhook: ${warning}`)
  if (settings === undefined) throw new Mistake(2, mistakes.join('\n'))
  return settings
}

/** For `offhook serve --help`. */
export const settingsHelp = (): string => {
  const lines = Object.entries(settingsSchema).map(([name, { default: fallback, description, secret }]) => {
    const preset = fallback === '' ? '' : ` [${fallback}]`
    return `\n  ${name}${preset}${secret === undefined ? '' : ' (secret)'}\n      ${description}\n`
  })
  return `
When it is ready, it prints one JSON line on standard output; logs go to standard error.
Settings are environment variables, or lines NAME=value of the file that --config or OFFHOOK_CONFIG names; the environment wins.
Those marked (secret) can be read from files: NAME_FILE says from which. offhook config shows what is in force.
${lines.join('')}`
}
